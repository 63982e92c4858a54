// SPDX-License-Identifier: GPL-2.0-only
/// Options of the backend `physical`, whose traffic is real.
#pragma once

#include <array>
#include <cstdint>

#include "core/traffic/message_contents.h"

namespace heddle {

class OptionSet;

struct PhysicalOptions {
  /// How the computing of a workload passes.
  enum class Compute : std::uint8_t { kSleep, kSpin, kSkip };
  friend constexpr auto WordsOf(Compute /*type*/) { return std::array{"sleep", "spin", "skip"}; }

  Compute compute = Compute::kSleep;
  std::int64_t warmup = 0;                        ///< passes before those that count
  bool contents = true;                           ///< whether messages carry numbers
  ResultChecks check = ResultChecks::kFirstPass;  ///< which results, number by number

  /// Whether a rank leaves its core to others while its GPUs compute.
  bool sleeps() const { return compute == Compute::kSleep; }
  /// Whether GPUs compute in no time.
  bool skips() const { return compute == Compute::kSkip; }

  /// Declares the options of the group "physical". The set writes to this object.
  void Declare(OptionSet* options);
};

}  // namespace heddle
