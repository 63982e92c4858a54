// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_file.h"

#include <algorithm>

#include "io/goal/goal_binary.h"
#include "io/goal/goal_text.h"
#include "io/input/file_kind.h"

namespace heddle {

GoalSchedule ParseGoal(std::string_view bytes, const std::string& name,
                       std::vector<std::string>* warnings) {
  if (IsGoalBinary(bytes)) return ParseGoalBinary(bytes, name);
  return ParseGoalText(bytes, name, warnings);
}

GoalSchedule ReadGoal(const std::string& path, std::uint64_t window,
                      std::vector<std::string>* warnings) {
  GoalBytes bytes(path);
  const auto beginning = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), 8));
  if (IsGoalBinary(bytes.Read(0, beginning))) return ParseGoalBinary(&bytes, window);
  return ReadAs(FileKind::kGoal, path, [&] { return ParseGoalText(&bytes, window, warnings); });
}

}  // namespace heddle
