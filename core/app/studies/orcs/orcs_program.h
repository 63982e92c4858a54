// SPDX-License-Identifier: GPL-2.0-only
/// `heddle congestion --compat orcs-1.1|orcs-2.0`: what ORCS does, with its flags and its text, on
/// its rules. Where ORCS crashes there is an error; random numbers are heddle's, with a seed.
#pragma once

#include <string>
#include <vector>

#include "core/app/studies/orcs/orcs_arguments.h"

namespace heddle {

/// Runs on all ranks of MPI. `words`: after the version. Returns an exit code: ORCS's number of
/// levels for --getnumlevels. Throws UserError and FileError.
int RunOrcs(OrcsVersion version, const std::vector<std::string>& words);

}  // namespace heddle
