// SPDX-License-Identifier: GPL-2.0-only
/// The environment variables that a run heeds: SimAI's, NCCL's, and those of the trace and the
/// controller (docs/compatibility.md).
#ifndef HEDDLE_CORE_APP_SETUP_ENVIRONMENT_H_
#define HEDDLE_CORE_APP_SETUP_ENVIRONMENT_H_

#include <string>
#include <vector>

#include "collectives/choice/simai_environment.h"
#include "core/app/setup/all_options.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// The root's variables that are heeded, by name, on every rank: launchers do not hand them to
/// other machines. Collective.
Environment SharedEnvironment(const Communicator& world);

/// Sets the options that variables stand for. `echo` gets a line for each that was heeded, or is
/// known and not used; `warnings` one for each that may be misspelt. Throws UserError for bad
/// values, naming the variable.
void ApplyEnvironment(const Environment& environment, AllOptions* options,
                      std::vector<std::string>* echo, std::vector<std::string>* warnings);

/// Whether such a line says where a file is: what is in it counts by its digest, or is written
/// only.
bool SaysWhereAFileIs(const std::string& line);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SETUP_ENVIRONMENT_H_
