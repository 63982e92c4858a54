// SPDX-License-Identifier: GPL-2.0-only
#include "core/options/token_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace heddle {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.substr(0, kMark.size()) == kMark ? text.substr(kMark.size()) : text;
}

TokenReader::TokenReader(std::string_view text, std::string file)
    : position_(text.data()), end_(text.data() + text.size()), file_(std::move(file)) {
  position_ = WithoutByteOrderMark(text).data();
}

std::string_view TokenReader::Next() {
  while (position_ != end_ && IsBlank(*position_)) {
    line_ += *position_ == '\n';
    ++position_;
  }
  const char* begin = position_;
  while (position_ != end_ && !IsBlank(*position_)) {
    ++position_;
  }
  if (position_ != begin) {
    token_line_ = line_;
  }
  return {begin, static_cast<std::size_t>(position_ - begin)};
}

std::string_view TokenReader::Require(const char* expected) {
  const std::string_view word = Next();
  if (word.empty()) {
    Fail("the file ends", expected);
  }
  return word;
}

std::uint64_t TokenReader::RequireNumber(const char* expected, std::uint64_t low,
                                         std::uint64_t high) {
  const std::string_view word = Require(expected);
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || stop != word.data() + word.size() || value < low || value > high) {
    Fail("found " + Quote(word),
         fmt::format("{}, a whole number from {} to {}", expected, low, high));
  }
  return value;
}

int TokenReader::WordsOnNextLine() const {
  const char* p = position_;
  while (p != end_ && IsBlank(*p)) {
    ++p;
  }
  int words = 0;
  bool inside = false;
  for (; p != end_ && *p != '\n'; ++p) {
    const bool blank = IsBlank(*p);
    words += !blank && !inside;
    inside = !blank;
  }
  return words;
}

void TokenReader::Fail(const std::string& found, const std::string& expected) const {
  FailInput(where(), found, expected);
}

std::string Quote(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  return '"' + Printable(word, kLongest) + '"';
}

}  // namespace heddle
