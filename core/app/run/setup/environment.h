// SPDX-License-Identifier: GPL-2.0-only
/// The environment variables that a run reads: SimAI's, NCCL's, and those of the trace and the
/// controller (docs/compatibility.md).
#pragma once

#include <string>
#include <vector>

#include "core/mpi/communicator.h"
#include "core/options/environment_variables.h"

namespace heddle {

/// Returns all families in the order in which they are applied: if two set the same option, the
/// later one counts.
const std::vector<EnvironmentFamily>& EnvironmentFamilies();

/// Returns the root's variables that a run reads, by name, on every rank, because launchers do not
/// pass them to other machines. Collective.
Environment SharedEnvironment(const Communicator& world);

/// Applies them all, family by family (core/options/environment_variables.h).
void ApplyEnvironment(const Environment& environment, OptionSet* options,
                      std::vector<std::string>* echo, std::vector<std::string>* warnings);

/// Whether such a line names a file. Input files are compared by digest instead, and output files
/// need not agree.
bool SaysWhereAFileIs(const std::string& line);

}  // namespace heddle
