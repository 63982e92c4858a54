// SPDX-License-Identifier: GPL-2.0-only
/// How the program speaks to people: colours on a terminal only, plain text in logs and pipes.
///
/// Colours are left out where NO_COLOR is set and not empty (no-color.org), and where TERM is
/// missing or "dumb".
#ifndef HEDDLE_CORE_APP_CLI_TERMINAL_H_
#define HEDDLE_CORE_APP_CLI_TERMINAL_H_

#include <cstddef>
#include <string>

namespace heddle {

enum class Paint { kError, kWarning, kHead };  ///< red, yellow, bold

/// Whether this file descriptor is a terminal.
bool IsTerminal(int descriptor);
/// Whether it is one that understands escape sequences: to rewrite a line, say.
bool UnderstandsEscapes(int descriptor);
/// Whether text for it may have colours.
bool WantsColours(int descriptor);
/// Columns of the terminal; 80 if nothing says how many there are.
std::size_t TerminalWidth(int descriptor);

/// The text in a colour, or as it is.
std::string Painted(Paint paint, const std::string& text, bool colours);
/// Help with its section heads in bold: lines that begin in the first column and end with a colon.
std::string WithBoldHeads(const std::string& help, bool colours);

/// "heddle: MESSAGE" to standard error.
void PrintError(const std::string& message);
/// "heddle: warning: MESSAGE" to standard error.
void PrintWarning(const std::string& message);
/// Help to standard output, from the process that speaks for all.
void PrintHelp(const std::string& help);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_CLI_TERMINAL_H_
