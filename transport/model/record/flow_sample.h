// SPDX-License-Identifier: GPL-2.0-only
/// Selects the finished flows that get a row of their own in the result: all, one in N, or none.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/ids.h"

namespace heddle {

/// Selects by a hash of (source, number) only: sender and receiver select alike without
/// communication, on any number of ranks. Every flow in a sample is also in every larger sample.
struct FlowSample {
  static constexpr std::uint64_t kMostEvery = 1'000'000'000;

  std::uint64_t every = 1;  ///< keep one flow in this number; 0: none

  bool all() const { return every == 1; }   ///< every finished flow has a row
  bool none() const { return every == 0; }  ///< no finished flow has a row
  /// Whether a finished flow gets a row; about one in `every` does.
  bool Keeps(FlowId flow) const { return KeepsKey(flow.packed()); }
  /// Whether another 64-bit key is selected, such as that of a request to the controller.
  bool KeepsKey(std::uint64_t key) const {
    if (every <= 1) return every == 1;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(Mix(Mix(key))) * every) >>
                                      64) == 0;
  }
  /// Returns "all", "sample:N" or "none".
  std::string text() const {
    return all() ? "all" : none() ? "none" : "sample:" + std::to_string(every);
  }

 private:
  /// Returns SplitMix64's next number (see core/base/random.h). Applied twice: once leaves keys
  /// that differ in few bits too similar, and samples of one in 100 were up to three standard
  /// deviations off.
  static std::uint64_t Mix(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
};

}  // namespace heddle
