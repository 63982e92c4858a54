// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_file.h"

#include "core/base/check.h"
#include "io/goal/goal_binary.h"
#include "io/goal/goal_text.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"

namespace heddle {

GoalSchedule ParseGoal(std::string_view bytes, const std::string& name,
                       std::vector<std::string>* warnings) {
  if (IsGoalBinary(bytes)) return ParseGoalBinary(bytes, name);
  return ParseGoalText(bytes, name, warnings);
}

GoalSchedule ReadGoal(const std::string& path, std::vector<std::string>* warnings) {
  const std::string bytes = ReadTextFile(path);
  const std::string name = Printable(path, path.size());
  if (IsGoalBinary(bytes)) return ParseGoalBinary(bytes, name);
  return ReadAs(FileKind::kGoal, path, [&] { return ParseGoalText(bytes, name, warnings); });
}

}  // namespace heddle
