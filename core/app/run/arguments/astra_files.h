// SPDX-License-Identifier: GPL-2.0-only
/// Flags for files of ASTRA-SIM: --astra-network is -n and --astra-system is -c for them, and
/// refuse files of any other kind.
#pragma once

#include "core/app/base/cli/parse_arguments.h"
#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

/// Adds --astra-network, which stands for -n: `app` must have that already.
void AddAstraNetwork(CLI::App* app, const char* group, RunArguments* run);
/// Adds --astra-system, which stands for -c: `app` must have that already.
void AddAstraSystem(CLI::App* app, const char* group, RunArguments* run);

/// Throws UserError, with the flag, what the file looks like and what is expected, if a file that
/// these flags name is of another kind.
void CheckAstraFiles(const RunArguments& run);

}  // namespace heddle
