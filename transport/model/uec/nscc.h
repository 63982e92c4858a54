// SPDX-License-Identifier: GPL-2.0-only
/// NSCC, the sender's congestion control of Ultra Ethernet: a window driven by ECN and by delay.
///
/// Source: Ultra Ethernet Specification 1.0, sections 3.6.12 and 3.6.13; where it leaves a choice,
/// uet-htsim (ultraethernet/uet-htsim, 2025-08). Symbols: w window, base the flow's smallest round
/// trip, d = rtt - base delay, avg its average, T, R, p, alpha, fi, eta, fi_scale of UecScale.
/// An ACK brings n new bytes, its ECN echo and perhaps a round trip. avg is an EWMA of d with gain
/// g; a delay above T without a mark counts as base / 4. Without round trip d = avg. Then:
///   quick adaptation (below); if it acts or ignores this ACK: nothing else
///   no mark, d < T:   fast increase; if that is not active: inc += alpha n (T - d)
///   no mark, d >= T:  inc += fi n
///   mark, d < T:      nothing: only the choice of paths reacts
///   mark, d >= T:     fast increase ends; if avg > T, once a base: w = w max(1 - gamma (avg - T) /
///                     avg, 1/2)
///   after 8 packets, or R after the last period:  w += inc / w, inc = 0; after R also w += eta
/// Fast increase: once more than w bytes in a row had d < 1 us, w += fi_scale n at each ACK until
/// one has not. Quick adaptation, at the first ACK or NACK after base + T: if a NACK came, or d > 4
/// T, and less than 1/8 of the largest window arrived in that time, w becomes what arrived, and
/// marked ACKs are ignored until what was in flight then has been answered.
/// A NACK: avg gets a sample of R, quick adaptation; if that did not act, w -= the packet (not with
/// receiver credit and a trim at the last hop). A timeout: w -= the packet.
/// Invariant: p <= w; after an ACK that adjusts and after a NACK also w <= 1.5 base C / 8.
/// Not modelled: the receiver's penalty (uet-htsim never sets it); a service time of the receiver
/// in round trips; saving and restoring w.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

/// Why windows changed.
enum class NsccCause : std::uint8_t {
  kFair,
  kProportional,
  kFast,
  kEta,
  kDecrease,
  kQuickAdapt,
  kNack,
  kTimeout,
  kLimit  ///< the largest or smallest window
};
constexpr std::size_t kNsccCauses = static_cast<std::size_t>(NsccCause::kLimit) + 1;

/// Changes of all windows of, say, a domain by their causes [byte]; a decrease is negative. The sum
/// of all causes is the difference of the windows.
struct NsccChanges {
  std::array<std::int64_t, kNsccCauses> bytes = {};

  /// Returns the sum of one cause [byte].
  std::int64_t& of(NsccCause cause) { return bytes[static_cast<std::size_t>(cause)]; }
  /// Returns the sum of one cause [byte].
  std::int64_t of(NsccCause cause) const { return bytes[static_cast<std::size_t>(cause)]; }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    for (std::int64_t& cause : bytes) archive& cause;
  }
};

class Nscc final {
 public:
  struct State {
    std::int64_t window = 0;      ///< w [byte on the wire]
    std::int64_t max_window = 0;  ///< [byte]
    Time base_rtt;
    Time average_delay;
    std::int64_t fair = 0;          ///< share of inc [byte squared]
    std::int64_t proportional = 0;  ///< share of inc [byte squared]
    std::int64_t received = 0;      ///< since the last adjustment [byte]
    std::int64_t achieved = 0;      ///< since the last quick adaptation was considered [byte]
    std::int64_t fast_bytes = 0;    ///< in a row with an empty network
    Time last_decrease;
    Time last_adjust;
    Time quick_adapt_end;        ///< 0: no period has begun
    std::int64_t to_ignore = 0;  ///< bytes in flight at the last quick adaptation
    std::int64_t ignored = 0;    ///< answered since
    // No bools, as saved state is taken over as bytes.
    std::uint8_t fast = 0;
    std::uint8_t trigger = 0;  ///< a NACK asks for a quick adaptation

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& window& max_window& base_rtt& average_delay& fair& proportional& received& achieved&
          fast_bytes& last_decrease& last_adjust& quick_adapt_end& to_ignore& ignored& fast&
              trigger;
      if constexpr (Archive::is_loading::value) Check();
    }

   private:
    /// Checks that loaded values are in range. Throws UserError.
    void Check() const;
  };
  static_assert(std::is_trivially_copyable_v<State>);

  struct Ack {
    Time now;
    std::int64_t new_bytes = 0;  ///< that the receiver counted since the last ACK, at least 0
    /// Round trip of the packet that caused the ACK. None if the packet was sent again and it is
    /// open which copy is answered (PacketWindow::RoundTrip).
    std::optional<Time> round_trip;
    /// False for an answer to a packet without payload, which is quicker than the network's data.
    bool lowers_base = true;
    bool marked = false;
    std::int64_t in_flight = 0;  ///< after this ACK
  };
  struct Nack {
    Time now;
    std::int64_t bytes = 0;          ///< of the packet
    std::optional<Time> round_trip;  ///< since it was last sent
    bool last_hop = false;           ///< trimmed on the last hop
    std::int64_t in_flight = 0;      ///< the packet included
  };

  /// Copies options and `scale`, which is that of the network; one object for each rate of links.
  Nscc(const UecOptions& options, const UecScale& scale);

  /// Starts a flow with the initial window, at most the largest one of `base_rtt`. `base_rtt`: R,
  /// or less if the pair's own round trip is known; above 0.
  void Start(State* state, Time base_rtt) const;
  /// Reacts to an ACK by the rules above. Does nothing if the window does not adapt.
  void OnAck(State* state, const Ack& ack, NsccChanges* changes) const;
  /// Reacts to a NACK: one sample of R for the average, then quick adaptation or a smaller window.
  void OnNack(State* state, const Nack& nack, NsccChanges* changes) const;
  /// Takes a packet of `bytes` that counts as lost off the window, down to the smallest one.
  void OnTimeout(State* state, std::int64_t bytes, NsccChanges* changes) const;

  /// Whether a packet of `bytes` (above 0) fits beside `in_flight`, which may be negative.
  bool MaySend(const State& state, std::int64_t in_flight, std::int64_t bytes) const {
    return state.window >= in_flight + (full_mtu_ ? scale_.min_window : bytes);
  }
  /// Whether a new packet of `bytes` asks for an ACK because the window is full; `in_flight`
  /// includes it.
  bool AsksForAck(const State& state, std::int64_t in_flight, std::int64_t bytes) const;

 private:
  /// Lowers base and the largest window to a smaller round trip; ignores others, and 0.
  void LowerBase(State* state, Time rtt) const;
  /// Returns the delay of this ACK, after it went into avg; avg itself without a usable round trip.
  Time TakeSample(State* state, const Ack& ack) const;
  /// Adds a sample to avg with gain g; a delay above T without a mark counts as base / 4.
  void Average(State* state, Time delay, bool marked) const;
  /// Whether quick adaptation changed the window, or ignores this answer because its packet was
  /// sent before the last change. Begins the next period if the last one is over.
  bool QuickAdapt(State* state, Time now, bool loss, bool marked, Time delay,
                  std::int64_t in_flight, NsccChanges* changes) const;
  /// Adds the increase of unmarked bytes to inc, or to the window in fast increase.
  void Increase(State* state, std::int64_t new_bytes, Time delay, NsccChanges* changes) const;
  /// Whether fast increase is active with this ACK; then adds fi_scale n to the window.
  bool FastIncrease(State* state, std::int64_t new_bytes, Time delay, NsccChanges* changes) const;
  /// Ends fast increase; if avg > T, shrinks the window, at most once a base.
  void Decrease(State* state, Time now, NsccChanges* changes) const;
  /// Moves inc into the window after 8 packets or R; adds eta after R.
  void Adjust(State* state, Time now, NsccChanges* changes) const;
  /// Clamps the window between a packet and the largest window; the difference counts as kLimit.
  void Limit(State* state, NsccChanges* changes) const;

  UecScale scale_;
  double gamma_;
  double max_decrease_;
  Time fast_delay_;
  double delay_gain_;
  std::int64_t gate_;
  std::int64_t ack_threshold_;
  bool adapts_;
  bool credit_;
  bool nack_lowers_rtt_;
  bool full_mtu_;
  bool needs_sample_;
  bool at_end_;
  bool spec_ack_request_;
};

}  // namespace heddle
