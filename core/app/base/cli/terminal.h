// SPDX-License-Identifier: GPL-2.0-only
/// Output for people: colours on a terminal only, plain text in logs and pipes.
///
/// Colours are left out where NO_COLOR is set and not empty (no-color.org), and where TERM is
/// missing or "dumb".
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

enum class Paint { kError, kWarning, kHead };  ///< red, yellow, bold

/// Whether this file descriptor is a terminal.
bool IsTerminal(int descriptor);
/// Whether the descriptor is a terminal that understands escape sequences, for example to rewrite a
/// line.
bool UnderstandsEscapes(int descriptor);
/// Whether text for the descriptor may have colours.
bool WantsColours(int descriptor);
/// Columns of the terminal; 80 if unknown.
std::size_t TerminalWidth(int descriptor);

/// Returns the text in its colour, or unchanged without colours.
std::string Painted(Paint paint, const std::string& text, bool colours);
/// Returns help with its section heads in bold: lines that begin in the first column and end with a
/// colon.
std::string WithBoldHeads(const std::string& help, bool colours);

// Messages contain names of files and words of their texts: what would control the terminal is
// escaped (core/base/printable.h).

/// "heddle: MESSAGE" to standard error.
void PrintError(const std::string& message);
/// "heddle: warning: MESSAGE" to standard error.
void PrintWarning(const std::string& message);
/// Prints help to standard output; only the process for which SpeaksForAll() is true prints it.
void PrintHelp(const std::string& help);

}  // namespace heddle
