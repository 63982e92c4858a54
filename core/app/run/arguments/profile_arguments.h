// SPDX-License-Identifier: GPL-2.0-only
/// The flags of `heddle run` that record a profile.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/app/run/arguments/run_arguments.h"
#include "core/engine/engine.h"

namespace heddle {

/// Declares the flags under `group` of the help; they write to `run`.
void AddProfileArguments(CLI::App* app, const std::string& group, RunArguments* run);

/// Throws UsageError for an invalid time, a limit without a profile, a result of a run that ends
/// early, or another engine.
void CheckProfileArguments(const RunArguments& run);

/// Sets the end of a run that only records a profile.
void SetLimits(const RunArguments& run, EngineSetup* setup);

}  // namespace heddle
