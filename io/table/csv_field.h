// SPDX-License-Identifier: GPL-2.0-only
/// Texts as cells of CSV files: names of layers, jobs, runs and files come from elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Returns the cell that holds `text`, by RFC 4180: in quotes, with inner quotes doubled, if it
/// contains a separator (comma, semicolon, tab), a quote or a line end. A text that a spreadsheet
/// would take for a formula (it begins with =, +, -, @, tab or carriage return, and is no number)
/// gets an apostrophe in front, as OWASP recommends ("CSV Injection"). Any other text stays as it
/// is.
std::string CsvField(std::string_view text);

}  // namespace heddle
