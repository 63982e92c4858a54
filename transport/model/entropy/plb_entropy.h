// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "plb": one entropy at a time; a flow whose path stays congested takes another.
///
/// Source: Qureshi et al., "PLB: Congestion Signals are Simple and Effective for Network Load
/// Balancing", SIGCOMM 2022, with Linux's rules and defaults (tcp_plb). Symbols: K share of marks
/// (`plb_share`), M (`plb_idle_rounds`), N (`plb_rounds`), c congested rounds in a row, S
/// (`plb_suspend`).
///   A round lasts the base round trip; the first feedback after its end ends it and begins the
///   next. Of its packets those marked or trimmed count as marked:
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
  static constexpr const char* kName = "plb";

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

    std::size_t memory() const { return 0; }

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& random& base_rtt& round_end& suspended_until& congested& packets& marked& base&
          current;
    }
  };

  explicit PlbEntropy(const EntropyOptions& options);

  void Start(State* state, const EntropyStart& start) const;
  std::uint16_t Next(State* state, Time /*now*/) const { return state->current; }
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Nothing is in flight.
  void Idle(State* state, Time now) const;
  bool IsSound(const State& state) const;

 private:
  void EndRound(State* state, Time now) const;
  void LeaveCongested(State* state, Time now) const;
  void Repath(State* state) const;

  EntropySet set_;
  double share_;
  std::int64_t idle_rounds_;
  std::int64_t rounds_;
  Time suspend_;
};

}  // namespace heddle
