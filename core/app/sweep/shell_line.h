// SPDX-License-Identifier: GPL-2.0-only
/// Command lines as text that a user can copy into a shell.
#ifndef HEDDLE_CORE_APP_SWEEP_SHELL_LINE_H_
#define HEDDLE_CORE_APP_SWEEP_SHELL_LINE_H_

#include <string>
#include <vector>

namespace heddle {

/// The words with blanks between them. A POSIX shell reads the same words back: those that are not
/// plain stand in single quotes.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_SWEEP_SHELL_LINE_H_
