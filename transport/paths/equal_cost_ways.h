// SPDX-License-Identifier: GPL-2.0-only
/// All equal-cost ways of a pair at once: has any of them room, and how little is the fullest link
/// of the emptiest one used?
///
/// Ways share their links: 64 spines make 64 ways over 128 links, and three tiers of them thousands
/// of ways over hundreds. Both questions visit a link once, never a way. The last hop, to the
/// destination itself, does not count. Whether a hash leads onto a way is not asked here.
#ifndef HEDDLE_TRANSPORT_PATHS_EQUAL_COST_WAYS_H_
#define HEDDLE_TRANSPORT_PATHS_EQUAL_COST_WAYS_H_

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "transport/paths/link_shares.h"
#include "transport/paths/next_hop_table.h"

namespace heddle {

/// Where a NIC of the source leads.
struct Entrance {
  CoreIndex core = 0;
  std::uint32_t rate_index = 0;  ///< for the caller: its number of `rate`
  BitRate rate;                  ///< of the NIC's link: what a flow brings that leaves through it
};

class EqualCostWays {
 public:
  /// Both must outlive it.
  EqualCostWays(NextHopTable* table, const LinkShares& shares);

  /// Whether some way from an entrance to the GPUs of a class has room on every hop
  /// (LinkShares::Fits).
  bool HasRoom(const std::vector<Entrance>& entrances, std::uint32_t cls);
  /// The smallest worst use (LinkShares::UseWith) of all ways; 0 if an entrance is linked to the
  /// class.
  std::uint64_t LeastWorstUse(const std::vector<Entrance>& entrances, std::uint32_t cls);

 private:
  /// Forgets which nodes were seen.
  void BeginWalk();
  bool HasRoomFrom(CoreIndex entrance, BitRate demand, std::uint32_t cls);
  /// At most `least`.
  std::uint64_t LeastWorstUseFrom(const Entrance& entrance, std::uint32_t cls, std::uint64_t least);
  void NextLevel(BitRate demand, std::uint32_t cls);

  NextHopTable* table_;
  const LinkShares& shares_;
  std::uint32_t walk_ = 0;
  std::vector<std::uint32_t> seen_in_;  ///< by core node: the last walk that came there
  std::vector<std::uint64_t>
      use_up_to_;  ///< by core node seen: least worst use of the ways that lead there
  std::vector<CoreIndex> level_, onwards_;  ///< nodes to go on from
};

}  // namespace heddle

#endif  // HEDDLE_TRANSPORT_PATHS_EQUAL_COST_WAYS_H_
