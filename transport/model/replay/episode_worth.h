// SPDX-License-Identifier: GPL-2.0-only
/// Whether it is worth the trouble to write down episodes of islands of one shape: a balance of
/// what was saved and what it cost, over all of them on a rank.
///
/// Writing an episode down costs about an eighth of simulating it (callgrind, rings on NVLinks). An
/// island of a shape whose balance is negative after some attempts (islands of several domains may
/// all try the same at once) skips episodes: each of them eight, then sixteen, up to 64 between two
/// attempts, until one pays. Results do not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle {

class EpisodeWorth {
 public:
  /// Notes that there is one more island of this shape.
  void AddIsland() { ++islands_; }
  /// Whether the next episode is to be simulated without a record. Counts it as skipped.
  bool Skips() {
    if (skips_ == 0) return false;
    --skips_;
    return true;
  }
  /// Books an episode that was recorded: `packets` packet-hops were simulated for it, and `skipped`
  /// were not.
  void Spend(std::int64_t packets, std::int64_t skipped) {
    balance_ -= packets / kCost;
    if (skipped > packets / kCost) return Gain(skipped);
    if (++attempts_ < kPatience + 2 * islands_ || balance_ >= 0) return;
    wait_ = std::min(kMostSkips, wait_ == 0 ? kLeastSkips : 2 * wait_);
    skips_ = wait_ * islands_;
  }
  /// Books `packets` packet-hops that were replayed.
  void Gain(std::int64_t packets) {
    balance_ = std::min(balance_ + packets, kMostSaved * packets);
    if (balance_ < 0) return;
    attempts_ = 0;
    wait_ = 0;
  }

 private:
  static constexpr std::int64_t kCost = 8;
  static constexpr std::int64_t kMostSaved = 4;  ///< episodes whose gain is remembered
  static constexpr std::uint32_t kPatience = 6, kLeastSkips = 8, kMostSkips = 64;  ///< episodes

  std::int64_t balance_ = 0;  ///< packet-hops
  std::uint32_t islands_ = 0, attempts_ = 0, wait_ = 0, skips_ = 0;
};

}  // namespace heddle
