// SPDX-License-Identifier: GPL-2.0-only
/// The flags of a run whose traffic is real, and the flags that make no sense with it.
#pragma once

#include <string>

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

/// Declares the flags under `group` of the help; they write to `run`.
void AddPhysicalArguments(CLI::App* app, const std::string& group, RunArguments* run);

/// Throws UsageError for a flag that this backend does not know, and for one that only the backend
/// `physical` knows. `app` has parsed `run`.
void CheckPhysicalArguments(const CLI::App& app, const RunArguments& run);

/// Whether the traffic of the run is real.
bool IsPhysical(const RunArguments& run);

}  // namespace heddle
