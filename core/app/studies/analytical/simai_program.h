// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analytical --compat simai-analytical-1.6|simai-analytical-1.0`: what SimAI's analytical
/// program does, with its flags, its text and its defects, as far as these have a defined result.
/// Where it crashes there is an error.
#pragma once

#include <string>
#include <vector>

#include "core/app/studies/analytical/simai_arguments.h"

namespace heddle {

/// `words`: after the program's name. Writes ./results/NAMEEndToEnd.csv and prints its summary.
/// Returns an exit code: SimAI's where it ends by itself. Throws UserError where SimAI crashes or
/// never ends, and FileError.
int RunSimaiAnalytical(SimaiProgram program, const std::vector<std::string>& words);

}  // namespace heddle
