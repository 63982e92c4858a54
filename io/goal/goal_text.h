// SPDX-License-Identifier: GPL-2.0-only
/// Reader of GOAL's text.
///
/// Source: LogGOPSim's grammar as docs/formats/goal.md describes it. Read more freely than by
/// txt2bin: ranks may come in any order, options of an operation too, and a comment may stand
/// after an operation.
///
/// Left out: the operations of LogGOPSim2, which is another format with words of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/goal/goal_schedule.h"
#include "io/goal/goal_bytes.h"

namespace heddle {

/// Keeps `window` operations in memory at most, once a rank is read; 0: all. Adds to `warnings` if
/// there is text after the last rank. Throws UserError with file and line for the first mistake:
/// ranks missing, twice or out of range; labels unknown or repeated; values out of range; words of
/// another dialect; operations of a rank that wait for each other.
GoalSchedule ParseGoalText(GoalBytes* bytes, std::uint64_t window,
                           std::vector<std::string>* warnings);
/// Reads a text in memory, all of which it keeps; `name` is the file's name in messages. Likewise.
GoalSchedule ParseGoalText(std::string_view text, const std::string& name,
                           std::vector<std::string>* warnings);

}  // namespace heddle
