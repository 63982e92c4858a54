// SPDX-License-Identifier: GPL-2.0-only
/// What congestion control reads and writes: the pace of a queue pair, and what an ACK tells about
/// its path.
#ifndef HEDDLE_TRANSPORT_CONGESTION_PACE_H_
#define HEDDLE_TRANSPORT_CONGESTION_PACE_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/base/units.h"
#include "transport/wire/telemetry.h"

namespace heddle {

/// How fast a queue pair sends. Congestion control writes `rate` only; the host sets the rest
/// before the flow starts.
struct Pace {
  BitRate rate;             ///< pacing rate, headers included; never above line_rate
  BitRate line_rate;        ///< of the NIC's port
  std::int64_t window = 0;  ///< at line rate [byte]; 0: no limit
  Time base_rtt;            ///< round trip without queueing, above 0

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& rate& line_rate& window& base_rtt;
  }
};
static_assert(std::is_trivially_copyable_v<Pace>);

/// What the sender learns from one ACK.
struct AckSignals {
  Time now;
  std::int64_t acknowledged = 0;  ///< snd_una after the ACK [byte]
  std::int64_t next = 0;          ///< snd_nxt, at least `acknowledged` [byte]
  bool congestion = false;        ///< CNP flag: a packet since the last ACK was ECN marked
  Time round_trip;                ///< since the NIC sent the data packet
  std::uint16_t pint = 0;         ///< Pint's code of the fullest port on the way; 0: none
  const Telemetry* telemetry = nullptr;
};

/// `rate` within [minimum, line]; a minimum above the line rate means the line rate.
constexpr BitRate Bounded(BitRate rate, BitRate minimum, BitRate line) {
  return {std::min(std::max(rate.bps, minimum.bps), line.bps)};
}

/// `rate` times `factor` (at least 0), cut down to whole bit/s as ns-3's DataRate is, and never
/// above `line`.
inline BitRate Scaled(BitRate rate, double factor, BitRate line) {
  const double product = static_cast<double>(rate.bps) * factor;
  return product < static_cast<double>(line.bps) ? BitRate{static_cast<std::int64_t>(product)}
                                                 : line;
}

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_CONGESTION_PACE_H_
