// SPDX-License-Identifier: GPL-2.0-only
/// Reader of GOAL's binary form, which LogGOPSim's txt2bin writes.
///
/// Source: the layout in docs/formats/goal.md: little endian, packed, a table of ranks, then 39
/// bytes an operation and four a dependency.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/goal/goal_schedule.h"
#include "io/goal/goal_bytes.h"

namespace heddle {

/// Whether a file with these first bytes is binary GOAL, or what a run with --save-mem left of it.
bool IsGoalBinary(std::string_view bytes);

/// Keeps `window` operations in memory at most, once a rank is read; 0: all. Takes no more memory
/// than the file justifies. Throws UserError "FILE: byte OFFSET: found. Expected: ..." for the
/// first mistake: a consumed file, places and counts beyond the file, values out of range,
/// operations that wait for more or fewer than name them, operations of a rank that wait for each
/// other.
GoalSchedule ParseGoalBinary(GoalBytes* bytes, std::uint64_t window);
/// Reads bytes in memory, all of which it keeps; `name` is the file's name in messages. Likewise.
GoalSchedule ParseGoalBinary(std::string_view bytes, const std::string& name);

}  // namespace heddle
