// SPDX-License-Identifier: GPL-2.0-only
/// The n entropies of a queue pair: upper bits of its own, lower bits 0..n-1.
///
/// Source: UEC 1.0, section 3.6.16, and uet-htsim. Symbols: n number of entropies (1..65536), span
/// the smallest power of two >= n, base the queue pair's random upper bits (a multiple of span).
/// Entropy i is base + i. Invariant: the n entropies of a queue pair are distinct.
#pragma once

#include <cstdint>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/base/units.h"

namespace heddle {

/// What a queue pair begins with.
struct EntropyStart {
  std::uint64_t seed = 0;
  FlowId flow;
  std::uint16_t first = 0;  ///< the entropy of scheme flow
  Time base_rtt;            ///< IsRtt()

  /// Whether `t` is 0 to an hour, which is also the longest time of an option.
  static constexpr bool IsRtt(Time t) { return t >= Time{0} && t <= MicroSeconds(3'600'000'000); }

  /// Returns a new random stream, keyed by the flow.
  RandomStream random() const { return RandomStream(seed, flow.packed(), RandomPurpose::kEntropy); }
};

class EntropySet {
 public:
  static constexpr std::uint32_t kNone = ~0U;

  /// Requires `paths` in 1..65536.
  explicit EntropySet(std::int64_t paths) : size_(static_cast<std::uint32_t>(paths)) {
    HEDDLE_EXPECT(paths >= 1 && paths <= 65536);
    while (span_ < size_) span_ *= 2;
  }

  std::uint32_t size() const { return size_; }  ///< n
  std::uint32_t span() const { return span_; }  ///< least power of two >= n, up to 65536

  /// Draws the upper bits of a queue pair; the lower bits are zero.
  std::uint16_t DrawBase(RandomStream* random) const {
    return static_cast<std::uint16_t>(random->Next() & ~std::uint64_t{span_ - 1});
  }
  /// Whether `base` is a multiple of span.
  bool IsBase(std::uint16_t base) const { return (base & (span_ - 1)) == 0; }
  /// Returns entropy `index`, which must be below size().
  static std::uint16_t At(std::uint16_t base, std::uint32_t index) {
    return static_cast<std::uint16_t>(base | index);
  }
  /// Returns the index of an entropy; kNone if it is not of this set.
  std::uint32_t IndexOf(std::uint16_t base, std::uint16_t entropy) const {
    const std::uint32_t index = static_cast<std::uint32_t>(base ^ entropy);
    return index < size_ ? index : kNone;
  }
  /// Draws one of the n entropies, each equally likely.
  std::uint16_t Draw(std::uint16_t base, RandomStream* random) const {
    return At(base, static_cast<std::uint32_t>(random->Below(size_)));
  }

 private:
  std::uint32_t size_;
  std::uint32_t span_ = 1;
};

}  // namespace heddle
