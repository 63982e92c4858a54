// SPDX-License-Identifier: GPL-2.0-only
/// What congestion control reads and writes: the pace of a queue pair, the signals of an ACK, and
/// the readings of a switch's port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/future.h"
#include "core/base/units.h"

namespace heddle {

/// How fast a queue pair sends, and how much before it is acknowledged. Congestion control writes
/// `rate`, and `limit` if it declares kSetsWindow; the host sets the rest before the flow starts.
struct Pace {
  BitRate rate;             ///< pacing rate, headers included; never above line_rate
  BitRate line_rate;        ///< of the NIC's port
  std::int64_t window = 0;  ///< at line rate [byte]; 0: no limit
  Time base_rtt;            ///< round trip without queueing, above 0
  /// Payload that may be in flight now [byte]; 0: no limit. `window` when the flow starts.
  std::int64_t limit = 0;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& limit& rate& line_rate& window& base_rtt;
  }
  /// Says what each member is to a replay (core/base/future.h).
  template <class Self, class Visitor>
  static constexpr void VisitFuture(Self& self, Visitor& visit) {
    visit.Given(self.window);
    visit.Decides(self.rate);
    visit.Decides(self.limit);
    visit.NoMatter(self.line_rate, self.base_rtt);  // the port's, and the fabric's
  }
};
static_assert(std::is_trivially_copyable_v<Pace>);
static_assert(SpeaksForAllMembers<Pace>(),
              "say in VisitFuture() what the new member is to a replay (core/base/future.h)");

/// What the sender learns from one ACK.
struct AckSignals {
  Time now;
  std::int64_t acknowledged = 0;  ///< snd_una after the ACK [byte]
  std::int64_t next = 0;          ///< snd_nxt, at least `acknowledged` [byte]
  bool congestion = false;        ///< CNP flag: a packet since the last ACK was ECN marked
  std::int64_t stamp = 0;         ///< of the data packet, as the ports of its path left it
  const void* tail = nullptr;     ///< the same of its tail, a Tail of the algorithm; null: none

  /// Returns the time since the NIC sent the data packet. Valid only with FirstStamp::kSendTime and
  /// ports that do not change the stamp.
  Time round_trip() const { return now - Time{stamp}; }
};

/// Which value the NIC writes into Packet::stamp of a data packet.
enum class FirstStamp : std::uint8_t { kSendTime, kZero };

/// What a switch's port knows when it starts to send a data packet.
struct PortReading {
  Time now;
  BitRate rate;                   ///< of its link
  std::int64_t sent_bytes = 0;    ///< sent before this packet
  std::int64_t queued_bytes = 0;  ///< left in its queues after this packet
  std::int64_t packet_bytes = 0;  ///< on the wire
  Time max_rtt;                   ///< the fabric's largest round trip without queueing
};

/// Declares that an algorithm has no tail, or that ports keep nothing for it.
struct Nothing {};

/// Returns `rate` within [minimum, line]; a minimum above the line rate means the line rate.
constexpr BitRate Bounded(BitRate rate, BitRate minimum, BitRate line) {
  return {std::min(std::max(rate.bps, minimum.bps), line.bps)};
}

/// Returns `rate` times `factor` (at least 0), cut down to whole bit/s as ns-3's DataRate is, and
/// never above `line`.
inline BitRate Scaled(BitRate rate, double factor, BitRate line) {
  const double product = static_cast<double>(rate.bps) * factor;
  return product < static_cast<double>(line.bps) ? BitRate{static_cast<std::int64_t>(product)}
                                                 : line;
}

/// Lets the window follow the rate: `limit` is `window` rate / line_rate, at least 1. Does nothing
/// without a window.
inline void ScaleWindow(Pace* pace) {
  if (pace->window <= 0) return;
  const auto scaled = static_cast<unsigned __int128>(pace->window) *
                      static_cast<std::uint64_t>(pace->rate.bps) /
                      static_cast<std::uint64_t>(pace->line_rate.bps);
  pace->limit = std::max<std::int64_t>(1, static_cast<std::int64_t>(scaled));
}

}  // namespace heddle
