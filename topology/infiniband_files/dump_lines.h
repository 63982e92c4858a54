// SPDX-License-Identifier: GPL-2.0-only
/// Lines of a dump of InfiniBand's tools, and the pieces of a line from left to right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// Iterates over a text that it does not own. Lines end with LF or CR LF. Blank lines and lines
/// that begin with # are skipped.
class DumpLines {
 public:
  /// Starts before the first line. `file` is for messages. A byte order mark is skipped.
  DumpLines(std::string_view text, std::string file);

  /// Goes to the next line. Returns false at the end of the text.
  bool Next();
  /// Returns what is left of the line, without blanks at its end.
  std::string_view rest() const { return rest_; }
  /// Returns the name for messages.
  const std::string& file() const { return file_; }
  /// Returns the number of the current line, from 1; 0 before the first Next().
  std::int64_t line() const { return line_; }

  /// Whether the rest begins with `text`.
  bool At(std::string_view text) const { return rest_.substr(0, text.size()) == text; }
  /// Takes `text` if the rest begins with it.
  bool Take(std::string_view text);
  /// Takes spaces, tabs and other blanks at the beginning of the rest; there may be none.
  void SkipBlanks();
  /// Takes up to the next blank or the end.
  std::string_view TakeWord();
  /// Takes decimal digits. Throws UserError for anything else and for numbers out of range.
  std::uint64_t RequireNumber(const char* expected, std::uint64_t low, std::uint64_t high);
  /// Takes up to 16 hexadecimal digits, with or without 0x.
  std::uint64_t RequireHex(const char* expected);
  /// Takes `text`. Throws UserError if the rest does not begin with it.
  void Require(std::string_view text, const char* expected);

  /// Throws UserError with the line: `found` is wrong.
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const;
  /// Throws UserError with the line: what is left of it is wrong.
  [[noreturn]] void FailRest(const std::string& expected) const;

 private:
  std::string_view text_;  ///< after the line
  std::string file_;
  std::string_view rest_;
  std::int64_t line_ = 0;
};

}  // namespace heddle
