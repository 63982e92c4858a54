// SPDX-License-Identifier: GPL-2.0-only
/// Options of reliable delivery: go-back-N with NACKs (SimAI's), selective repeat (IRN),
/// retransmission timeouts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/units.h"

namespace heddle {

class OptionSet;

struct ReliabilityOptions {
  /// transport/model/replay/replay_permission.h: an episode with a loss is no record.
  static constexpr bool kMayBeReplayed = true;

  std::int64_t ack_interval = 1;  ///< payload bytes between two ACKs; 1: each packet
  std::int64_t chunk = 4000;      ///< L2_BACK_TO_ZERO goes back to a multiple of this [byte]
  bool back_to_zero = false;
  bool simai_acks = false;                 ///< ACKs and marks by SimAI's rule, see Receiver
  bool selective_repeat = false;           ///< IRN: Mittal et al., SIGCOMM 2018
  std::int64_t reorder = 0;                ///< packets beyond a gap that are kept without a NACK
  Time nack_interval = MicroSeconds(500);  ///< least time between two reports of the same gap
  /// 4.096 us * 2^10: InfiniBand's local ACK timeout with exponent 10.
  Time timeout = NanoSeconds(4'194'304);
  /// Consecutive timeouts without progress; InfiniBand's retry_cnt has 3 bits.
  std::int64_t retry_limit = 7;
  double error_rate = 0;  ///< error rate of links whose own is 0

  /// Adds reliability.* and the error rate of links.
  void Declare(OptionSet* options);
  /// Returns the bytes in flight that are sure to bring an ACK, for QueuePair::window_bound().
  /// SimAI's senders do not ask for ACKs: a full window is enough to hold them, however little is
  /// in flight.
  std::int64_t sure_of_ack() const { return simai_acks ? 0 : ack_interval; }
  /// Returns the timeout after `timeouts` consecutive ones: it doubles each time, up to a day.
  Time TimeoutAfter(int timeouts) const {
    constexpr std::int64_t kDay = 86'400'000'000'000'000;
    return timeouts > 20 || timeout.ps > kDay >> timeouts ? Time{kDay}
                                                          : timeout * (std::int64_t{1} << timeouts);
  }
};

}  // namespace heddle
