// SPDX-License-Identifier: GPL-2.0-only
/// Words of a text, separated by white space, each with its line: for readers that must be fast and
/// name the line of a mistake.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/check.h"

namespace heddle {

/// Returns `text` without the byte-order mark of UTF-8 with which spreadsheets begin their files.
std::string_view WithoutByteOrderMark(std::string_view text);

/// Iterates over a text that it does not own; the text must outlive it. Skips a byte-order mark.
class TokenReader {
 public:
  /// `file`: name for messages.
  TokenReader(std::string_view text, std::string file);

  /// Returns the next word, or an empty view at the end. where() is then its line (at the end: the
  /// last line).
  std::string_view Next();
  /// Returns the next word. Throws UserError at the end of the file; `expected` names the word in
  /// the message.
  std::string_view Require(const char* expected);
  /// Returns the next word as a number in [low, high]. Throws UserError with the line.
  std::uint64_t RequireNumber(const char* expected, std::uint64_t low, std::uint64_t high);

  /// Returns the number of words on the line of the next word.
  int WordsOnNextLine() const;
  /// Returns the bytes after the last word read: a bound for what a file may announce.
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - position_); }
  /// Returns file and line of the last word read.
  SourceLine where() const { return {file_, token_line_}; }
  /// Throws UserError at the line of the last word read.
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const;

 private:
  const char* position_;
  const char* end_;
  std::int64_t line_ = 1;
  std::int64_t token_line_ = 1;
  std::string file_;
};

/// Returns the number that a word is, if it is nothing else and fits.
template <class Number>
std::optional<Number> ReadNumber(std::string_view word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (word.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Returns a word of a file for a message: quoted, truncated if long, with escapes (Printable()).
std::string Quote(std::string_view word);

}  // namespace heddle
