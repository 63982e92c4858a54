// SPDX-License-Identifier: GPL-2.0-only
/// Finds losses without trimming and before the timer, from how much arrived above a hole.
///
/// Source: Le et al., "STrack: A Reliable Multipath Transport for AI/ML Clusters"
/// (arXiv:2407.15266, 2024), as uet-htsim's option sleek has it. Symbols: w window, m payload of a
/// full packet, o packets that the receiver holds above a hole, cum its cumulative number.
///   not in recovery, nothing queued, o >= max(min(1.5 w, largest window), 5 m) / m:
///       recovery until cum reaches the last number sent by now
///   in recovery, at each ACK: packets from cum to cum + w / m that are still outstanding are sent
///       again, each once in a recovery; they need no room in the window
///   a probe, a header without payload: base + T after an ACK if all was sent, else 3 base; again 5
///       base after the last. Its answer with a delay below T begins a recovery
/// Not modelled: uet-htsim stops the timer of a packet that runs out during a recovery.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/uec/packet_window.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

class LossRecovery final {
 public:
  struct State {
    std::int64_t until = 0;   ///< the recovery ends when all below it arrived
    std::int64_t resent = 0;  ///< in this recovery all below it were looked at
    std::uint8_t active = 0;  ///< while set, queued packets may be sent beyond the window

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& until& resent& active;
      if constexpr (Archive::is_loading::value) {
        ExpectState(until >= 0 && resent >= 0 && active <= 1,
                    "a recovery from losses that is out of range");
      }
    }
  };
  static_assert(std::is_trivially_copyable_v<State>);

  /// Copies the payload of a full packet and T.
  LossRecovery(const UecOptions& options, const UecScale& scale)
      : payload_(options.payload()), target_delay_(scale.target_delay) {}

  /// Reacts to an ACK that was applied to `packets`: `held` is o, `window` and `max_window` are
  /// NSCC's [byte]. Returns the bytes that it queued to be sent again; the caller takes them off
  /// the bytes in flight.
  std::int64_t OnAck(State* state, std::int64_t held, std::int64_t window, std::int64_t max_window,
                     PacketWindow* packets) const;
  /// Reacts to the answer to a probe, after its ACK fields were applied and before OnAck(). A
  /// `delay` below T begins a recovery.
  void OnProbeAnswer(State* state, Time delay, const PacketWindow& packets) const;

  /// Returns the time from an ACK to the probe; `all_sent`: no new data wait.
  Time ProbeDelay(Time base_rtt, bool all_sent) const {
    return all_sent ? base_rtt + target_delay_ : base_rtt * 3;
  }
  /// Returns the time from a probe to the next one.
  Time ProbeInterval(Time base_rtt) const { return base_rtt * 5; }

 private:
  std::int64_t payload_;
  Time target_delay_;  ///< T
};

}  // namespace heddle
