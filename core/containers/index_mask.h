// SPDX-License-Identifier: GPL-2.0-only
/// A set of indices below a bound, one bit each, that knows how many it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {

class IndexMask {
 public:
  /// Begins anew with all indices below `size`, or none.
  void Fill(std::uint32_t size, bool members) {
    words_.assign((size + 63) / 64, members ? ~std::uint64_t{0} : 0);
    if (members && size % 64 != 0) words_.back() >>= 64 - size % 64;
    count_ = members ? size : 0;
  }

  /// Whether an index below the bound is a member.
  bool Test(std::uint32_t index) const { return (words_[index / 64] >> (index % 64) & 1) != 0; }
  /// Inserts an index that is not a member.
  void Insert(std::uint32_t index) {
    HEDDLE_EXPECT(!Test(index));
    words_[index / 64] ^= std::uint64_t{1} << (index % 64);
    ++count_;
  }
  /// Removes a member.
  void Remove(std::uint32_t index) {
    HEDDLE_EXPECT(Test(index));
    words_[index / 64] ^= std::uint64_t{1} << (index % 64);
    --count_;
  }

  /// Returns the number of members, in constant time.
  std::uint32_t count() const { return count_; }
  /// Returns indices 64 i to 64 i + 63, from the lowest bit on; none beyond the bound.
  std::uint64_t word(std::uint32_t i) const { return i < words_.size() ? words_[i] : 0; }
  /// Whether this is a set of indices below `size`, for saved state.
  bool Fits(std::uint32_t size) const {
    return words_.size() == (size + 63) / 64 &&
           (size % 64 == 0 || words_.back() >> (size % 64) == 0);
  }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return MemoryOf(words_); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& words_;
    if constexpr (Archive::is_loading::value) {
      count_ = 0;
      for (const std::uint64_t word : words_)
        count_ += static_cast<std::uint32_t>(__builtin_popcountll(word));
    }
  }

 private:
  std::vector<std::uint64_t> words_;  ///< zero beyond the bound
  std::uint32_t count_ = 0;
};

}  // namespace heddle
