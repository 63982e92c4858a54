// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "reps": entropies whose packets came through unmarked are used again, once each.
///
/// Source: Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and
/// Failure Mitigation", EuroSys 2026 (arXiv 2407.21625); uet-htsim. Symbols: ring of k slots
/// (`reps_ring`), each an entropy that is fresh or not; E packets of exploration left.
///   Unmarked ACK: its entropy, fresh, overwrites the oldest slot. Other feedback: no slot.
///   Choice, the first that applies:
///     thawing (E > 0, E = E - 1): paper: every eighth packet is random; uet-htsim: all are
///     frozen:                     the next filled slot in turn, fresh or not, is used up
///     there are fresh slots:      the oldest of them, which is used up
///     otherwise:                  random, uniform over the n entropies
///   Freezing: at a loss, unless frozen or E > 0, for `reps_freeze`. Turns begin with the oldest.
///   Thawing: at the first feedback later than that; E = `reps_explore`. uet-htsim also empties the
///     ring. An unmarked ACK that thaws is put into the ring afterwards.
/// Simplified: any loss is taken for a failure. The paper, in fabrics that do not trim, also wants
/// round trips before it to have been short. Not modelled: ending the freeze by probes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_set.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class RepsEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kReps;
  static constexpr std::int64_t kPaperExplores = 128;  ///< packets, about a bandwidth-delay product
  static constexpr std::int64_t kHtsimExplores = 16;
  static constexpr std::uint32_t kPaperExploresEvery = 8;

  struct State {
    RandomStream random{0, 0, RandomPurpose::kEntropy};
    Time frozen_until;
    std::uint32_t explore = 0;  ///< E
    std::uint16_t base = 0;
    std::uint16_t fresh = 0;  ///< a bit for each slot
    std::array<std::uint16_t, EntropyOptions::kMostRing> ring{};
    std::uint8_t filled = 0;  ///< slots that were written; the first ones
    std::uint8_t write = 0;   ///< next slot to be written: the oldest, once all are filled
    std::uint8_t turn = 0;    ///< next slot while frozen
    std::uint8_t frozen = 0;  ///< 0 or 1

    std::size_t memory() const { return 0; }  ///< it allocates nothing

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& random& frozen_until& explore& base& fresh& filled& write& turn& frozen;
      for (std::uint16_t& entropy : ring) archive& entropy;
    }
  };
  static_assert(sizeof(State) <= 64);

  /// Reads entropy.paths and entropy.reps_*.
  explicit RepsEntropy(const EntropyOptions& options);

  /// Begins with an empty ring, not frozen, and a random base.
  void Start(State* state, const EntropyStart& start) const;
  /// Returns an entropy by the rules above; uses up the slot that it comes from.
  std::uint16_t Next(State* state, Time now) const;
  /// Freezes at a loss and thaws when the time is over. An unmarked ACK of the set's entropy goes
  /// into the ring.
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Whether a loaded state fits these options and its ring is possible.
  bool IsSound(const State& state) const;

 private:
  /// Returns the oldest fresh entropy and uses it up. Requires one.
  std::uint16_t TakeOldestFresh(State* state) const;
  /// Returns the next filled slot's entropy in turn, fresh or not, and uses it up. Requires a
  /// filled slot.
  std::uint16_t TakeInTurn(State* state) const;
  /// Ends the freeze and begins E packets of exploration. As uet-htsim, also empties the ring.
  void Thaw(State* state) const;

  EntropySet set_;
  std::uint32_t ring_;  ///< k
  std::uint32_t explore_;
  Time freeze_;
  bool paper_;
};

}  // namespace heddle
