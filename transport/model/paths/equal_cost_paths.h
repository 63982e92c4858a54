// SPDX-License-Identifier: GPL-2.0-only
/// Two questions about all equal-cost paths of a pair of GPUs at once: does any of them have room,
/// and what is the least possible use of a path's fullest link?
///
/// Paths share links: 64 spines make 64 paths over 128 links, and three tiers make thousands of
/// paths over hundreds. Both searches visit each link once, not each path. The last hop, to the
/// destination itself, does not count. Whether any source port's hash leads onto a path is not
/// considered.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "transport/model/paths/link_shares.h"
#include "transport/model/paths/next_hop_table.h"

namespace heddle {

/// The switch that a NIC of the source is linked to.
struct Entrance {
  CoreIndex core = 0;
  std::uint32_t rate_index = 0;  ///< the caller's index of `rate`
  BitRate rate;                  ///< rate of the NIC's link, which a flow through it demands
};

class EqualCostPaths {
 public:
  /// Keeps `table` and `shares`, which must outlive it.
  EqualCostPaths(NextHopTable* table, const LinkShares& shares);

  /// Whether some path from an entrance to the GPUs of class `cls` has room on every hop
  /// (LinkShares::Fits).
  bool HasRoom(const std::vector<Entrance>& entrances, std::uint32_t cls);
  /// Returns the smallest worst use (LinkShares::UseWith) of all paths; 0 if an entrance is linked
  /// to the class.
  std::uint64_t LeastWorstUse(const std::vector<Entrance>& entrances, std::uint32_t cls);

 private:
  /// Marks all nodes as not seen.
  void BeginWalk();
  /// Whether there is room from one entrance on, over nodes that this walk has not visited.
  bool HasRoomFrom(CoreIndex entrance, BitRate demand, std::uint32_t cls);
  /// Searches for a use below `least`; returns at most `least`.
  std::uint64_t LeastWorstUseFrom(const Entrance& entrance, std::uint32_t cls, std::uint64_t least);
  /// Replaces level_ by the nodes one hop further, with their least worst use.
  void NextLevel(BitRate demand, std::uint32_t cls);

  NextHopTable* table_;
  const LinkShares& shares_;
  std::uint32_t walk_ = 0;
  std::vector<std::uint32_t> seen_in_;    ///< by core node: the last walk that visited it
  std::vector<std::uint64_t> use_up_to_;  ///< by core node seen: least worst use of the paths to it
  std::vector<CoreIndex> level_, onwards_;  ///< nodes to expand, and their successors
};

}  // namespace heddle
