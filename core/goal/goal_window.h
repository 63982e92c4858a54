// SPDX-License-Identifier: GPL-2.0-only
/// How much of long schedules in GOAL a process holds in memory. No result depends on it.
#pragma once

#include <cstdint>

namespace heddle {

class OptionSet;

struct GoalWindow {
  std::int64_t operations = 4'000'000;  ///< of all ranks of a schedule; 0: any number

  /// Binds goal.window.
  void Declare(OptionSet* options);
};

}  // namespace heddle
