// SPDX-License-Identifier: GPL-2.0-only
/// A schedule of GOAL on some GPUs of the fabric from a start time on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "core/goal/goal_schedule.h"

namespace heddle {

struct GoalJob {
  GoalSchedule schedule;
  std::vector<NodeId> gpus;    ///< by rank; all different, also among the jobs of a run
  Time start;                  ///< when its ranks begin
  std::uint8_t priority = 3;   ///< traffic class of its messages, 1 to 7
  std::string placement = {};  ///< rule by which ranks were put on GPUs, in words; may be empty
};

}  // namespace heddle
