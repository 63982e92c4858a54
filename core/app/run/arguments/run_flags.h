// SPDX-License-Identifier: GPL-2.0-only
/// The flags of `heddle run`: declared, read and checked.
#pragma once

#include <string>
#include <vector>

#include "core/app/run/arguments/run_arguments.h"

namespace heddle {

/// Parses the flags; returns false if help was printed. Throws UsageError. ResolveTraffic() checks
/// whether there is any traffic.
bool ParseRunArguments(const std::vector<std::string>& arguments, RunArguments* run);

}  // namespace heddle
