// SPDX-License-Identifier: GPL-2.0-only
/// SimAI's rings through a group: one for each local rank that every server has.
///
/// Source: SimAI's MockNcclGroup.cc (genringchannels). Ring c visits the servers in order; in each
/// it begins at local rank c and visits all local ranks. So it leaves from local rank c-1 and
/// changes rails between there and the next server's local rank c. Servers may differ in size; the
/// smallest determines the number of rings.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/crossing.h"

namespace heddle {

/// O(ranks) memory for all rings together; every function takes constant time. `shape` must outlive
/// it.
class Rings {
 public:
  /// `pxn`: a hop that would change rails between servers may take two legs (crossing.h).
  Rings(const GroupShape& shape, bool pxn);

  const GroupShape& shape() const { return shape_; }
  std::uint32_t ranks() const { return shape_.ranks(); }
  std::uint32_t count() const { return shape_.fewest_locals(); }  ///< number of rings
  /// Returns the place of `rank` on a ring, in [0, ranks()): 0 is the first server's local rank c.
  std::uint32_t PlaceOf(std::uint32_t ring, Participant rank) const;
  /// Inverts PlaceOf(): returns the rank at `place` < ranks().
  Participant RankAt(std::uint32_t ring, std::uint32_t place) const;
  /// Returns the rank to which `rank` sends on this ring; after the last place comes place 0.
  Participant Next(std::uint32_t ring, Participant rank) const;
  /// Returns the rank that sends to `rank` on this ring.
  Participant Previous(std::uint32_t ring, Participant rank) const;

  /// The hop from a rank to the next.
  Crossing HopFrom(std::uint32_t ring, Participant rank) const;
  /// The rank whose hop on its channel's ring includes this message as a leg; reads only the
  /// message's name.
  Participant HopSource(const GroupFlow& flow) const;

  std::size_t memory() const;  ///< of the tables, without the shape [byte]

 private:
  const GroupShape& shape_;
  bool pxn_;
  std::vector<std::uint32_t> first_place_;  ///< by server
  std::vector<std::uint32_t> server_at_;    ///< by place; the same on all rings
};

}  // namespace heddle
