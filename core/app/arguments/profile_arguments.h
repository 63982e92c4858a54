// SPDX-License-Identifier: GPL-2.0-only
/// The flags of `heddle run` that record a profile.
#ifndef HEDDLE_CORE_APP_ARGUMENTS_PROFILE_ARGUMENTS_H_
#define HEDDLE_CORE_APP_ARGUMENTS_PROFILE_ARGUMENTS_H_

#include <CLI/CLI.hpp>
#include <string>

#include "core/app/arguments/run_arguments.h"
#include "core/engine/engine.h"

namespace heddle {

void AddProfileArguments(CLI::App* app, const std::string& group, RunArguments* run);

/// Throws UsageError for an invalid time, a limit without a profile, a result of a run that ends
/// early, or another engine.
void CheckProfileArguments(const RunArguments& run);

/// Sets the end of a run that only records a profile.
void SetLimits(const RunArguments& run, EngineSetup* setup);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ARGUMENTS_PROFILE_ARGUMENTS_H_
