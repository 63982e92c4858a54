// SPDX-License-Identifier: GPL-2.0-only
/// Options of the central controller (docs/models/controller.md).
#pragma once

#include <string>

#include "core/base/units.h"
#include "transport/model/paths/link_shares.h"

namespace heddle {

class OptionSet;

struct ControllerOptions {
  /// transport/model/replay/replay_permission.h: its flows are no inputs of episodes.
  static constexpr bool kMayBeReplayed = true;

  bool enabled = false;
  Time latency = MicroSeconds(1);  ///< one-way latency of the control network
  Time service;                    ///< the controller's time for one request
  ShareLimit share;                ///< how much of a link may be reserved
  /// If no path is free: ecmp (the host's own port) or least-loaded.
  std::string fallback = "ecmp";
  std::string log;  ///< file for the path log (CSV); empty: none

  /// Adds controller.*.
  void Declare(OptionSet* options);
};

}  // namespace heddle
