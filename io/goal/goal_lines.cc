// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_lines.h"

#include <fmt/format.h>

namespace heddle {

bool GoalLines::Next(std::string_view* line) {
  while (lines_.Next(line)) {
    if (comment_ > 0 || line->find('/') != std::string_view::npos) *line = WithoutComments(*line);
    if (!line->empty()) return true;
  }
  if (comment_ > 0)
    FailInput(lines_.where(), fmt::format("the comment of line {} does not end", comment_), "*/");
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
      comment_ = lines_.number();
    } else {
      kept_ += '/';
      line.remove_prefix(1);
    }
  }
  return Trim(kept_);
}

std::string_view TakeGoalWord(std::string_view* line) {
  constexpr std::string_view kEnds = " \t\r:{}", kBlank = " \t\r";
  line->remove_prefix(std::min(line->find_first_not_of(kBlank), line->size()));
  std::size_t length = std::min(line->find_first_of(kEnds), line->size());
  if (length == 0 && !line->empty()) length = 1;
  const std::string_view word = line->substr(0, length);
  line->remove_prefix(length);
  return word;
}

}  // namespace heddle
