// SPDX-License-Identifier: GPL-2.0-only
/// This program as a command: where it is, and another program in its place.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Replaces this process by the command `words`, found by PATH. Throws FileError if that fails.
[[noreturn]] void BecomeProcess(const std::vector<std::string>& words);

/// Returns the path of this program's executable. Throws FileError.
std::string OwnPath();

}  // namespace heddle
