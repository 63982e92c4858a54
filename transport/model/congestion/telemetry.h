// SPDX-License-Identifier: GPL-2.0-only
/// In-band telemetry (INT): what each switch port on the path reports to the sender about itself.
///
/// Source: Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, section 3. A switch
/// stamps a data packet when it starts to send it; the receiver's ACK carries the records back.
/// Not modelled: the narrow wrapping fields of the header on the wire (SimAI: 64 bits a hop).
/// Records are exact, except that the rate is a float (24 bits: 3e-8 relative). The length on the
/// wire is Hpcc::kTelemetryBytes all the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/units.h"

namespace heddle {

/// INT records of a data packet, echoed by its ACK (HPCC). 128 bytes, trivially copyable; sent as a
/// packet's tail (core/events/message.h).
struct Telemetry {
  static constexpr std::uint32_t kMaxHops = 5;  ///< SimAI's IntHeader has room for five

  struct Hop {
    std::int64_t time_ps = 0;        ///< when the port started to send the packet
    std::int64_t sent_bytes = 0;     ///< sent by the port before this packet
    std::uint32_t queued_bytes = 0;  ///< left in the port's queues after this packet
    float rate_bps = 0;              ///< of the port's link

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& time_ps& sent_bytes& queued_bytes& rate_bps;
    }
  };

  Hop hops[kMaxHops];
  std::uint32_t count = 0;   ///< hops recorded, in the order of the path
  std::uint32_t unused = 0;  ///< keeps the size explicit

  /// Appends a port's record; hops beyond the fifth are not recorded. A queue over 4 GiB counts as
  /// 4 GiB.
  void Push(Time now, std::int64_t sent_bytes, std::int64_t queued_bytes, BitRate rate) {
    if (count >= kMaxHops) return;
    constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
    hops[count++] = {now.ps, sent_bytes, static_cast<std::uint32_t>(std::min(queued_bytes, kMost)),
                     static_cast<float>(rate.bps)};
  }

  /// Whether the count of hops is possible; false for bytes that no port has written.
  bool sound() const { return count <= kMaxHops; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& hops& count& unused;
  }
};
static_assert(sizeof(Telemetry::Hop) == 24);
static_assert(sizeof(Telemetry) == 128, "the tail of a packet has this size");
static_assert(std::is_trivially_copyable_v<Telemetry>);

}  // namespace heddle
