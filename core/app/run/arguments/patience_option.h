// SPDX-License-Identifier: GPL-2.0-only
/// --patience: how long ranks wait for one that hangs.
#pragma once

#include <CLI/CLI.hpp>

#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

/// Declares --patience.
void AddPatienceArgument(CLI::App* app, const char* group, RunArguments* run);

/// Returns the limit for RankWatchdog [s]; 0: no limit. Throws UsageError.
double PatienceOf(const RunArguments& run);

}  // namespace heddle
