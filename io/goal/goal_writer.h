// SPDX-License-Identifier: GPL-2.0-only
/// Writers of GOAL, as LogGOPSim's txt2bin reads and writes it.
#pragma once

#include <ostream>

#include "core/goal/goal_schedule.h"

namespace heddle {

/// Writes the text: operations in their order, labelled l1, l2, ..., then what waits for what.
void WriteGoalText(const GoalSchedule& schedule, std::ostream* to);

/// Writes the binary form. A schedule of 2^32 bytes and more a rank cannot be written: throws
/// UserError.
void WriteGoalBinary(const GoalSchedule& schedule, std::ostream* to);

}  // namespace heddle
