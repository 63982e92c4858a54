// SPDX-License-Identifier: GPL-2.0-only
/// Options of the central controller (docs/models/controller.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/units.h"
#include "transport/model/paths/link_shares.h"

namespace heddle {

class OptionSet;

struct ControllerOptions {
  /// transport/model/replay/replay_permission.h: its flows are no inputs of episodes.
  static constexpr bool kMayBeReplayed = true;

  /// If no path is free: kEcmp (the host's own port) or kLeastLoaded.
  enum class Fallback : std::uint8_t { kEcmp, kLeastLoaded };
  friend constexpr auto WordsOf(Fallback /*type*/) { return std::array{"ecmp", "least-loaded"}; }

  bool enabled = false;
  Time latency = MicroSeconds(1);  ///< one-way latency of the control network
  Time service;                    ///< the controller's time for one request
  ShareLimit share;                ///< how much of a link may be reserved
  Fallback fallback = Fallback::kEcmp;
  std::string log;  ///< file for the path log (CSV); empty: none

  /// Adds controller.*.
  void Declare(OptionSet* options);
};

}  // namespace heddle
