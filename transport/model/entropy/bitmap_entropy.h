// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "bitmap": as oblivious, but an entropy that met congestion loses turns.
///
/// Source: uet-htsim; STrack (Le et al., arXiv 2407.15266) skips a marked path once. Saturation:
/// UEC 1.0, section 3.6.16. Symbols: p_i penalty of entropy i (0..15), m number of entropies with
/// p_i > 0, s saturation.
///   Feedback of i:   p_i = min(15, p_i + 1 (ECN), 4 (trimmed), 15 (lost)); all three are options
///   Choice: i is next in EntropyWalk; p_i = 0: it is taken. Otherwise p_i = p_i - 1, and
///       m <= s n (before) and some entropy has no penalty now: the next one without is taken;
///       the other skipped ones keep their penalties
///       else: i itself is taken
/// Difference from uet-htsim: when all have a penalty it takes the entropy at the same place of the
/// next order, here i itself: both are uniformly random, and a round still takes each once.
/// Not modelled: the penalty of entropy 0 for every timeout; here it is that of the packet lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/model/entropy/entropy_options.h"
#include "transport/model/entropy/entropy_walk.h"
#include "transport/model/entropy/path_feedback.h"

namespace heddle {

class BitmapEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kBitmap;

  struct State {
    EntropyWalk walk;
    IndexMask clean;                      ///< entropies without a penalty
    std::vector<std::uint8_t> penalties;  ///< of two entropies each, the even one in the low bits

    /// Returns p_i of an entropy, 0..15.
    unsigned penalty(std::uint32_t index) const {
      return static_cast<unsigned>(penalties[index / 2] >> (index % 2 * 4)) & 15U;
    }
    /// Returns the allocated bytes.
    std::size_t memory() const { return clean.memory() + MemoryOf(penalties); }

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& walk& clean& penalties;
    }
  };

  /// Reads entropy.paths and entropy.bitmap_*.
  explicit BitmapEntropy(const EntropyOptions& options);

  /// Begins with all entropies clean, and a walk keyed by the flow.
  void Start(State* state, const EntropyStart& start) const;
  /// Returns the next entropy by the rule above; takes a penalty off the one in turn.
  std::uint16_t Next(State* state, Time now) const;
  /// Adds the penalty of the feedback, up to 15. kGood adds none; an entropy outside the set is
  /// ignored.
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Whether a loaded state fits these options: its size, and `clean` as the penalties say.
  bool IsSound(const State& state) const;

 private:
  /// Sets the penalty (0..15) and updates `clean`.
  void SetPenalty(State* state, std::uint32_t index, unsigned penalty) const;

  EntropySet set_;
  std::array<unsigned, 4> added_;  ///< penalty by PathFeedback
  std::uint32_t most_skipped_;     ///< s n, rounded down
};

}  // namespace heddle
