// SPDX-License-Identifier: GPL-2.0-only
/// A walk over the n entropies of a queue pair, in a new order each round.
///
/// Source: uet-htsim. Symbols: i place in the round (0..span-1), x the round's key.
///   index = i XOR x;  after i = span-1:  i = 0, x uniform in 0..span-1
/// If n is no power of two, indices n..span-1 are skipped (on average less than one for each index
/// taken, as span < 2 n). Invariant: a round takes each of the n indices once.
/// Not modelled: the other n! - span orders.
#pragma once

#include <cstdint>

#include "core/containers/index_mask.h"
#include "transport/model/entropy/entropy_set.h"

namespace heddle {

class EntropyWalk {
 public:
  /// Draws the queue pair's base and the key of the first round from `random`.
  void Start(const EntropySet& set, RandomStream random);
  /// Returns the next index, below n.
  std::uint32_t Next(const EntropySet& set) {
    for (;;) {
      const std::uint32_t index = static_cast<std::uint32_t>(place_ ^ key_);
      Advance(set);
      if (index < set.size()) return index;
    }
  }
  /// Returns the next index that is in `wanted`, which must not be empty. Skips the indices before
  /// it, up to 64 at a time.
  std::uint32_t NextOf(const EntropySet& set, const IndexMask& wanted);

  std::uint16_t base() const { return base_; }  ///< upper bits of the queue pair's entropies
  /// Whether a loaded walk has a base, a place and a key of this set.
  bool IsSound(const EntropySet& set) const;

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& random_& base_& place_& key_;
  }

 private:
  /// Goes to the next place; after the last one begins a round with a new key.
  void Advance(const EntropySet& set) {
    if (++place_ < set.span() && place_ != 0) return;  // 0: beyond 65535
    place_ = 0;
    key_ = static_cast<std::uint16_t>(random_.Below(set.span()));
  }

  RandomStream random_{0, 0, RandomPurpose::kEntropy};
  std::uint16_t base_ = 0;
  std::uint16_t place_ = 0;  ///< i
  std::uint16_t key_ = 0;    ///< x
};

}  // namespace heddle
