// SPDX-License-Identifier: GPL-2.0-only
/// Options of the backend `physical`, whose traffic is real.
#pragma once

#include <cstdint>
#include <string>

#include "core/traffic/message_contents.h"

namespace heddle {

class OptionSet;

struct PhysicalOptions {
  /// How the computing of a workload passes: sleep, spin or skip.
  std::string compute = "sleep";

  std::int64_t warmup = 0;      ///< passes before those that count
  bool contents = true;         ///< whether messages carry numbers
  std::string check = "first";  ///< which results are checked: first, all or none

  /// Whether a rank leaves its core to others while its GPUs compute.
  bool sleeps() const { return compute == "sleep"; }
  /// Whether GPUs compute in no time.
  bool skips() const { return compute == "skip"; }
  /// Returns which results are checked number by number, by `check`.
  ResultChecks checks() const;

  /// Declares the options of the group "physical". The set writes to this object.
  void Declare(OptionSet* options);
};

}  // namespace heddle
