// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/entropy/entropy_walk.h"

namespace heddle {
namespace {

/// Bit k of the result is bit k XOR `key` of `word`; `key` < 64.
std::uint64_t Reordered(std::uint64_t word, unsigned key) {
  constexpr std::uint64_t kLower[] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                      0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
  for (unsigned bit = 0; bit < 6; ++bit) {
    if ((key >> bit & 1) == 0) continue;
    const unsigned by = 1U << bit;
    word = (word >> by & kLower[bit]) | (word & kLower[bit]) << by;
  }
  return word;
}

}  // namespace

void EntropyWalk::Start(const EntropySet& set, RandomStream random) {
  random_ = random;
  base_ = set.DrawBase(&random_);
  place_ = 0;
  key_ = static_cast<std::uint16_t>(random_.Below(set.span()));
}

std::uint32_t EntropyWalk::NextOf(const EntropySet& set, const IndexMask& wanted) {
  HEDDLE_EXPECT(wanted.count() > 0);
  for (;;) {
    const std::uint64_t word = wanted.word(static_cast<std::uint32_t>(place_ ^ key_) / 64);
    const std::uint64_t ahead = Reordered(word, key_ % 64U) & ~std::uint64_t{0} << (place_ % 64);
    if (ahead != 0) {
      place_ = static_cast<std::uint16_t>((place_ & ~63) | __builtin_ctzll(ahead));
      const std::uint32_t index = static_cast<std::uint32_t>(place_ ^ key_);
      Advance(set);
      return index;
    }
    place_ = static_cast<std::uint16_t>(place_ | 63);  // the last of the word, or beyond the round
    Advance(set);
  }
}

bool EntropyWalk::IsSound(const EntropySet& set) const {
  return set.IsBase(base_) && place_ < set.span() && key_ < set.span();
}

}  // namespace heddle
