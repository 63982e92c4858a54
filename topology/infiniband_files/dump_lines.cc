// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/dump_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/check.h"
#include "core/options/token_reader.h"

namespace heddle {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

DumpLines::DumpLines(std::string_view text, std::string file)
    : text_(WithoutByteOrderMark(text)), file_(std::move(file)) {}

bool DumpLines::Next() {
  while (!text_.empty()) {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    rest_ = Trimmed(text_.substr(0, end));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    if (!rest_.empty() && rest_.front() != '#') return true;
  }
  rest_ = {};
  return false;
}

bool DumpLines::Take(std::string_view text) {
  if (!At(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

void DumpLines::SkipBlanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
}

std::string_view DumpLines::TakeWord() {
  const std::string_view word = rest_.substr(0, rest_.find_first_of(kBlanks));
  rest_.remove_prefix(word.size());
  return word;
}

std::uint64_t DumpLines::RequireNumber(const char* expected, std::uint64_t low,
                                       std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc() || value < low || value > high)
    FailRest(fmt::format("{}, a whole number from {} to {}", expected, low, high));
  rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
  return value;
}

std::uint64_t DumpLines::RequireHex(const char* expected) {
  const std::string_view before = rest_;
  if (!Take("0x")) Take("0X");
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, 16);
  if (error != std::errc()) {
    rest_ = before;
    FailRest(fmt::format("{}, up to 16 hexadecimal digits", expected));
  }
  rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
  return value;
}

void DumpLines::Require(std::string_view text, const char* expected) {
  if (!Take(text)) FailRest(expected);
}

void DumpLines::Fail(const std::string& found, const std::string& expected) const {
  FailInput({file_, line_}, found, expected);
}

void DumpLines::FailRest(const std::string& expected) const {
  Fail(rest_.empty() ? "the line ends" : "found " + Quote(rest_), expected);
}

}  // namespace heddle
