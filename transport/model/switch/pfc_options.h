// SPDX-License-Identifier: GPL-2.0-only
/// Options of priority flow control (IEEE 802.1Qbb); pause_control.h is the mechanism,
/// shared_buffer.h decides when to pause.
#pragma once

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct PfcOptions {
  /// transport/model/replay/replay_permission.h: an episode with a pause is no record.
  static constexpr bool kMayBeReplayed = true;

  bool enabled = true;
  /// Time after which a pause ends unless it is renewed (every half of it), on links that can lose
  /// frames.
  Time pause_time = MicroSeconds(5);
  /// On such links a pause is no longer renewed if no packet has left the buffer for this time.
  Time watchdog = MicroSeconds(200000);

  /// Adds pfc.enabled, pfc.pause_time and pfc.watchdog.
  void Declare(OptionSet* options);
};

}  // namespace heddle
