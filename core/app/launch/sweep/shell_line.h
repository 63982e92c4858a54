// SPDX-License-Identifier: GPL-2.0-only
/// Command lines as text that a user can copy into a shell.
#pragma once

#include <string>
#include <vector>

namespace heddle {

/// Returns the words with blanks between them. A POSIX shell reads the same words back: words that
/// are not plain stand in single quotes.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace heddle
