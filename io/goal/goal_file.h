// SPDX-License-Identifier: GPL-2.0-only
/// GOAL schedules from files, text or binary, which their first bytes distinguish.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/goal/goal_schedule.h"

namespace heddle {

/// Reads a file. Keeps `window` operations in memory at most, once a rank is read; 0: all.
/// `warnings` and errors as ParseGoal's; also throws UserError if the file cannot be read, or looks
/// like another kind, and Error of code 6 for what does not stay in memory.
GoalSchedule ReadGoal(const std::string& path, std::uint64_t window,
                      std::vector<std::string>* warnings);

/// Returns the same of bytes in memory, all of which it keeps; `name` is the file's name in
/// messages. Errors are those of ParseGoalText and ParseGoalBinary.
GoalSchedule ParseGoal(std::string_view bytes, const std::string& name,
                       std::vector<std::string>* warnings);

}  // namespace heddle
