// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
/// Whether a character is a word of its own.
bool IsMark(char c) { return c == ':' || c == '{' || c == '}'; }

/// Returns a line without blanks at its ends.
std::string_view WithoutBlanks(std::string_view line) {
  while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
  while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

bool GoalLines::ReadPart() {
  if (read_ == bytes_.size()) return false;
  const bool first = read_ == 0;
  const std::uint64_t left = bytes_.size() - read_;
  constexpr std::size_t kLeast = 3;  // a byte-order mark
  const auto size = static_cast<std::size_t>(
      bytes_.in_memory() ? left : std::min<std::uint64_t>(left, std::max(part_, kLeast)));
  const std::string_view part = bytes_.Read(read_, size);
  read_ += size;
  if (bytes_.in_memory()) {
    rest_ = part;
  } else {
    held_.erase(0, held_.size() - rest_.size());
    held_ += part;
    rest_ = held_;
  }
  if (first) rest_ = WithoutByteOrderMark(rest_);
  return true;
}

bool GoalLines::NextRaw(std::string_view* line) {
  std::size_t end = rest_.find('\n');
  for (std::size_t searched = rest_.size(); end == std::string_view::npos && ReadPart();
       searched = rest_.size())
    end = rest_.find('\n', searched);
  if (rest_.empty()) return false;
  *line = WithoutBlanks(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return true;
}

bool GoalLines::Next(std::string_view* line) {
  while (NextRaw(line)) {
    if (comment_ > 0 || line->find('/') != std::string_view::npos) *line = WithoutComments(*line);
    if (!line->empty()) return true;
  }
  if (comment_ > 0)
    FailInput(where(), fmt::format("the comment of line {} does not end", comment_), "*/");
  return false;
}

std::string_view GoalLines::WithoutComments(std::string_view line) {
  kept_.clear();
  while (!line.empty()) {
    const std::size_t end = comment_ > 0 ? line.find("*/") : line.find('/');
    if (comment_ == 0) kept_ += line.substr(0, end);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end);
    if (comment_ > 0) {
      line.remove_prefix(2);
      comment_ = 0;
      kept_ += ' ';
    } else if (line.substr(0, 2) == "//") {
      break;
    } else if (line.substr(0, 2) == "/*") {
      line.remove_prefix(2);
      comment_ = number_;
    } else {
      kept_ += '/';
      line.remove_prefix(1);
    }
  }
  return WithoutBlanks(kept_);
}

std::string_view TakeGoalWord(std::string_view* line) {
  const char *at = line->data(), *const end = at + line->size();
  while (at != end && IsBlank(*at)) ++at;
  const char* stop = at;
  while (stop != end && !IsBlank(*stop) && !IsMark(*stop)) ++stop;
  if (stop == at && at != end) ++stop;
  const std::string_view word(at, static_cast<std::size_t>(stop - at));
  *line = std::string_view(stop, static_cast<std::size_t>(end - stop));
  return word;
}

}  // namespace heddle
