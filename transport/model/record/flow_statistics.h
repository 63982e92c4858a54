// SPDX-License-Identifier: GPL-2.0-only
/// Statistics of all finished flows in constant space: completion times and slowdowns in bins, sums
/// by size.
///
/// Integers only, so that sums do not depend on their order and are the same on any number of
/// ranks. Bins are those of HDR histograms: a power of two and six bits below it, so a bin is at
/// most 1/64 as wide as its values. Slowdown is the completion time over the ideal one, rounded
/// down to a multiple of 2^-20; a flow without an ideal time counts in no slowdown bin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/containers/count_table.h"
#include "core/containers/state_count.h"
#include "transport/model/record/flow_records.h"

namespace heddle {

/// Bins of width 1 below 128; above, the width doubles at every power of two.
struct LogBins {
  /// Returns the bin of a value, below 2^kBits.
  static std::uint32_t Of(std::uint64_t value) {
    const auto shift = static_cast<std::uint32_t>(57 - __builtin_clzll(value | 64));
    return (shift << 6) + static_cast<std::uint32_t>(value >> shift);
  }
  /// Returns the least value of a bin; the bin ends where the next begins.
  static double From(std::uint32_t bin);
  static constexpr std::uint32_t kBits = 12;  ///< of a bin's number
};

class FlowStatistics {
 public:
  using Sum = unsigned __int128;
  /// Fraction bits of the fixed-point slowdown.
  static constexpr int kFraction = 20;

  /// Flows of one size class: their payload has this highest bit.
  struct SizeClass {
    std::uint32_t power = 0;                 ///< from 2^power bytes to below twice as many
    std::uint64_t flows = 0, slowdowns = 0;  ///< slowdowns: flows that have an ideal time
    std::uint64_t fct_max = 0, slowdown_max = 0;
    Sum bytes = 0, fct_sum = 0, slowdown_sum = 0;
  };
  struct Bin {
    std::uint32_t power = 0, bin = 0;
    std::uint64_t flows = 0;
  };

  FlowStatistics() { place_.fill(kNone); }  ///< without flows

  /// Adds a flow that finished. Its completion time counts in ps, its size in bytes.
  void Add(const FlowRecord& flow);
  /// Adds the flows of another domain.
  void Merge(const FlowStatistics& other) {
    Merge(other.Sizes(), other.Completions(), other.Slowdowns());
  }
  /// Adds what Sizes(), Completions() and Slowdowns() returned on another rank.
  void Merge(const std::vector<SizeClass>& sizes, const std::vector<Bin>& completions,
             const std::vector<Bin>& slowdowns);

  /// Returns the size classes that have flows, by power.
  std::vector<SizeClass> Sizes() const;
  /// Returns the bins of completion times [ps]; `power` is 0.
  std::vector<Bin> Completions() const;
  /// Returns the bins of slowdowns, by (power, bin), in multiples of 2^-kFraction.
  std::vector<Bin> Slowdowns() const;
  /// Returns fct / ideal in multiples of 2^-kFraction, rounded down, at most 2^64 - 1. Requires
  /// ideal > 0.
  static std::uint64_t Slowdown(std::uint64_t fct, std::uint64_t ideal);
  /// Returns the bytes that it has allocated.
  std::size_t memory() const { return sizes_.capacity() * sizeof(SizeClass) + counts_.memory(); }

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    StateCount count(sizes_.size());
    archive& counts_& count;
    if constexpr (Archive::is_loading::value) sizes_.assign(count, {});
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      SizeClass& size = sizes_[i];
      archive& size.power& size.flows& size.slowdowns& size.fct_max& size.slowdown_max;
      for (Sum* sum : {&size.bytes, &size.fct_sum, &size.slowdown_sum}) SerializeSum(archive, sum);
    }
    if constexpr (Archive::is_loading::value) {
      ExpectState(sizes_.size() <= kPowers, "more sizes of flows than there are");
      for (const SizeClass& size : sizes_)
        ExpectState(size.power < kPowers, "a size of flows that there is not");
      Place();
    }
  }

 private:
  static constexpr std::uint8_t kNone = 255;
  static constexpr std::uint32_t kPowers = 64;

  template <class Archive>
  static void SerializeSum(Archive& archive, Sum* sum) {
    auto high = static_cast<std::uint64_t>(*sum >> 64), low = static_cast<std::uint64_t>(*sum);
    archive& high& low;
    *sum = (static_cast<Sum>(high) << 64) | low;
  }
  /// Returns the key of a slowdown's count. Bins of completion times come first, then those of
  /// slowdowns by power.
  static std::uint32_t SlowdownKey(std::uint32_t power, std::uint32_t bin) {
    return ((power + 1) << LogBins::kBits) | bin;
  }
  /// Returns the bins of slowdowns, or of completion times, in order of their keys.
  std::vector<Bin> Bins(bool slowdowns) const;
  /// Returns the class of a power, which it adds at the first flow.
  SizeClass& ClassOf(std::uint32_t power);
  /// Computes place_ from loaded size classes.
  void Place();

  CountTable counts_;
  std::vector<SizeClass> sizes_;             ///< in order of first occurrence
  std::array<std::uint8_t, kPowers> place_;  ///< by power: index into sizes_
};

}  // namespace heddle
