// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/known_schedules.h"

#include <algorithm>

namespace heddle {

const std::vector<ScheduleRow>& KnownSchedules() {
  static const std::vector<ScheduleRow> rows = {
      OneForwardOneBackward(), Interleaved(), GPipe(), ZeroBubbleH1(), DualPipe(), DualPipeV()};
  return rows;
}

std::vector<std::string> ScheduleWords() {
  std::vector<std::string> words;
  for (const ScheduleRow& row : KnownSchedules()) words.emplace_back(row.word);
  return words;
}

const ScheduleRow* FindSchedule(const std::string& word) {
  const std::vector<ScheduleRow>& rows = KnownSchedules();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const ScheduleRow& known) { return word == known.word; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace heddle
