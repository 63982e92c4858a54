// SPDX-License-Identifier: GPL-2.0-only
/// Names and other users' texts for terminals and logs: nothing in them can move the cursor, set a
/// title, or look like another line of ours.
///
/// Escaped, as \n, \r, \t or byte by byte as \x1b: control characters (C0, DEL, C1), characters
/// that are invisible or change the direction of text (U+200B to U+200F, U+2028 to U+202E, U+2060
/// to U+206F, U+FEFF), and bytes that are no UTF-8. Other characters stay, so that names in any
/// script are read as they are. Backslashes stay, too.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Returns the whole text with its line ends and tabs. Printable() (core/base/check.h) makes one
/// line.
std::string PrintableLines(std::string_view text);

/// Returns `text` escaped for an element, or an attribute in quotes, of HTML and XML; what XML
/// cannot hold is not checked.
std::string EscapeHtml(std::string_view text);

}  // namespace heddle
