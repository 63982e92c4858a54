// SPDX-License-Identifier: GPL-2.0-only
/// Scheme "mixed": entropies that came through unmarked first, in the order of their ACKs. When
/// there are none, bitmap chooses.
///
/// Source: uet-htsim, its default. Its queue of good entropies has no bound (but no more than were
/// in flight are ever in it); here it holds at most n, and the oldest leaves for a newer one. All
/// feedback counts for bitmap's penalties; they do not keep an entropy out of the queue.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/containers/ring_queue.h"
#include "transport/model/entropy/bitmap_entropy.h"

namespace heddle {

class MixedEntropy final {
 public:
  static constexpr auto kScheme = EntropyOptions::Scheme::kMixed;

  struct State {
    BitmapEntropy::State bitmap;
    RingQueue<std::uint16_t> good;  ///< entropies

    std::size_t memory() const { return bitmap.memory() + good.memory(); }  ///< allocated bytes

    template <class Archive>
    void serialize(Archive& archive, unsigned /*version*/) {
      archive& bitmap& good;
    }
  };

  /// Reads entropy.paths and entropy.bitmap_*.
  explicit MixedEntropy(const EntropyOptions& options) : set_(options.paths), bitmap_(options) {}

  /// Begins without good entropies, and with bitmap's new state.
  void Start(State* state, const EntropyStart& start) const;
  /// Returns the good entropy that waited longest and takes it out of the queue; if none waits,
  /// bitmap's.
  std::uint16_t Next(State* state, Time now) const {
    return state->good.empty() ? bitmap_.Next(&state->bitmap, now) : state->good.Pop();
  }
  /// Passes the feedback to bitmap. kGood also puts the entropy into the queue; if it is full, the
  /// oldest leaves.
  void Heard(State* state, std::uint16_t entropy, PathFeedback feedback, Time now) const;
  /// Whether a loaded state fits these options: at most n good entropies, all of the set.
  bool IsSound(const State& state) const;

 private:
  EntropySet set_;
  BitmapEntropy bitmap_;
};

}  // namespace heddle
