// SPDX-License-Identifier: GPL-2.0-only
/// The list of known pipeline schedules.
#pragma once

#include <string>
#include <vector>

#include "collectives/pipeline/schedule_row.h"

namespace heddle {

/// Returns the rows; the first is the default.
const std::vector<ScheduleRow>& KnownSchedules();
/// Returns their words, in the same order.
std::vector<std::string> ScheduleWords();
/// Returns the row of a word; null for another word.
const ScheduleRow* FindSchedule(const std::string& word);

}  // namespace heddle
