// SPDX-License-Identifier: GPL-2.0-only
/// A rate for the credit of one receiving NIC in a network whose core is narrower than its edge,
/// where credit for the NIC's full rate would fill queues of the core.
///
/// Source: uet-htsim (ultraethernet/uet-htsim, 2025-08); the specification has nothing like it.
/// Symbols: r share of the pacer's rate, g average share of marks, k increases in a row. Every 1.5
/// R U(.75, 1.25), of the packets that arrived since the last time:
///   trims not on the last hop:  r -= trims / packets
///   g = g / 2 + (marked share of the untrimmed packets) / 2;  g > .3:  r *= 1 - (g - .3) / 2
///   neither:  r += .01 2^k if no packet was marked, else .01;  k += 1 (otherwise k = 0)
/// While nothing arrives and r and g are at rest (r = 1, g next to 0), Update() would change
/// nothing that matters, and the timer may stop until the next packet. Invariant: .9 /
/// oversubscription <= r <= 1. The first r is 1.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "core/base/units.h"
#include "core/containers/state_count.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle {

class OversubscriptionControl final {
 public:
  static constexpr std::int64_t kMostCounted = std::int64_t{1} << 50;  ///< in loaded state

  struct State {
    /// Starts at r = 1. The random stream is keyed by (`seed`, `nic`).
    explicit State(std::uint64_t seed = 0, std::uint64_t nic = 0)
        : random(seed, nic, RandomPurpose::kReceiverCredit) {}

    double rate = 1;    ///< r
    double marked = 0;  ///< g
    // Since the last update:
    std::int64_t packets = 0;  ///< data packets, the trimmed ones included
    std::int64_t marks = 0;    ///< of untrimmed packets
    std::int64_t last_hop_trims = 0;
    std::int64_t other_trims = 0;
    std::int64_t increases = 0;  ///< k
    RandomStream random;

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& rate& marked& packets& marks& last_hop_trims& other_trims& increases& random;
      if constexpr (Archive::is_loading::value) {
        ExpectState(rate > 0 && rate <= 1 && marked >= 0 && marked <= 1 && marks >= 0 &&
                        last_hop_trims >= 0 && other_trims >= 0 && increases >= 0 &&
                        increases <= kMostCounted && packets <= kMostCounted && packets >= marks &&
                        packets - marks >= last_hop_trims &&
                        packets - marks - last_hop_trims >= other_trims,
                    "a rate of credit that is out of range");
      }
    }
  };

  /// Takes R and the least rate from `scale`.
  explicit OversubscriptionControl(const UecScale& scale)
      : interval_(scale.base_rtt), least_(scale.least_credit_rate) {}

  /// Counts a data packet that arrived whole.
  void OnPacket(State* state, bool marked) const {
    ++state->packets;
    if (marked) ++state->marks;
  }
  /// Counts a data packet that arrived without its payload; `last_hop`: it was trimmed there.
  void OnTrimmed(State* state, bool last_hop) const {
    ++state->packets;
    ++(last_hop ? state->last_hop_trims : state->other_trims);
  }
  /// Sets the rate from the counts since the last call, and empties them. Call it at the end of
  /// each Interval().
  void Update(State* state) const;
  /// Whether updates can wait until the next packet.
  static bool Rests(const State& state) {
    constexpr double kNone = 1e-6;
    return state.packets == 0 && state.rate >= 1 && state.marked < kNone;
  }
  /// Draws the time until the next update: 1.5 R times a factor in [0.75, 1.25).
  Time Interval(State* state) const;

 private:
  Time interval_;  ///< R
  double least_;
};

}  // namespace heddle
