// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "plb": one entropy at a time; a flow whose path stays congested takes another.
///
/// Source: Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load
/// Balancing", SIGCOMM 2022, with Linux's rules and defaults (tcp_plb). Symbols: K share of marks
/// (`plb_share`), M (`plb_idle_rounds`), N (`plb_rounds`), c congested rounds in a row, S
/// (`plb_suspend`).
///   A round lasts the base round trip; the first feedback after its end ends it and begins the
///   next. Marked and trimmed packets of the round count as marked:
///     marked >= K packets: c = c + 1;  else: c = 0
///   c >= N at a round's end, or c >= M while nothing is in flight: new path unless suspended, and
///     c = 0 in either case
///   A packet lost that had the current entropy: new path at once, c = 0, suspended for a time
///     uniform in S..2 S.
/// A new path is one of the set's other entropies, uniformly. A flow begins with its first entropy,
/// so that without congestion it is as scheme flow.
/// Simplified: Linux counts a round by sequence numbers; here it is a time. Losses on a path that
/// was left already do not count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_set.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class PlbEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kPlb;

  struct State {
    RandomStream random{0, 0, RandomPurpose::kEntropy};
    Time base_rtt;
    Time round_end;
    Time suspended_until;
    std::int64_t congested = 0;  ///< c
    std::uint32_t packets = 0;   ///< of this round; 0: none has begun
    std::uint32_t marked = 0;    ///< of this round
    std::uint16_t base = 0;
    std::uint16_t current = 0;

    std::size_t memory() const { return 0; }  ///< it allocates nothing

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& random& base_rtt& round_end& suspended_until& congested& packets& marked& base&
          current;
    }
  };

  /// Reads entropy.paths and entropy.plb_*.
  explicit PlbEntropy(const EntropyOptions& options);

  /// Begins with start.first, and draws the base of the other entropies.
  void Start(State* state, const EntropyStart& start) const;
  /// Returns the current entropy, which changes with Heard() and Idle().
  std::uint16_t Next(State* state, Time /*now*/) const { return state->current; }
  /// Ends the round if its time is over, then counts the feedback. A loss on the current entropy
  /// takes a new path at once, and suspends path changes by congestion.
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Reports that nothing is in flight: takes a new path after M congested rounds, unless
  /// suspended.
  void Idle(State* state, Time now) const;
  /// Whether a loaded state fits these options and its counts are possible.
  bool IsSound(const State& state) const;

 private:
  /// Ends the round if its time is over, and takes a new path after N congested rounds, unless
  /// suspended.
  void EndRound(State* state, Time now) const;
  /// Takes a new path unless suspended; restarts the count of congested rounds in either case.
  void LeaveCongested(State* state, Time now) const;
  /// Draws another entropy of the set, each equally likely. With n = 1 the entropy stays, unless it
  /// is the first one, from outside the set.
  void Repath(State* state) const;

  EntropySet set_;
  double share_;
  std::int64_t idle_rounds_;
  std::int64_t rounds_;
  Time suspend_;
};

}  // namespace heddle
