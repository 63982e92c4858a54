// SPDX-License-Identifier: GPL-2.0-only
/// `heddle trace show`: what a schedule in GOAL or a trace of Chakra consists of, and what is odd
/// in it.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// `arguments`: after "trace show". Returns an exit code; throws UsageError and UserError.
int ShowTrace(const std::vector<std::string>& arguments);

}  // namespace heddle
