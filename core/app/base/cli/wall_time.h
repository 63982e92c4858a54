// SPDX-License-Identifier: GPL-2.0-only
/// Wall-clock times on the command line, as people and Slurm write them.
#pragma once

#include <string>

namespace heddle {

/// "90s", "10min", "2h", "1d", "500ms", or "[D-]HH:MM:SS": seconds, above 0. Throws UsageError that
/// names the flag.
double ParseWallTime(const std::string& flag, const std::string& text);

}  // namespace heddle
