// SPDX-License-Identifier: GPL-2.0-only
/// The ports that flows shared the most, and when the most flows were on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "io/collisions/collision_analysis.h"

namespace heddle {

/// A time in which a port had the same flows.
struct FullPeriod {
  static constexpr std::size_t kNamed = 8;  ///< flows that are listed
  SharedPeriod when;
  std::size_t flows = 0;
  std::vector<std::uint32_t> first = {};  ///< rows of table "flows", the lowest kNamed, ascending
};

/// The periods of a port with the most flows, the longest first among equals, at most three, by
/// time; and the number of all periods. A period of more than FullPeriod::kNamed flows stands
/// alone, because the next ones differ by one flow.
struct FullestPeriods {
  std::vector<FullPeriod> periods;
  std::size_t all = 0;
};

struct WorstPorts {
  std::vector<PortSharing> ports;
  std::size_t all = 0;                         ///< ports on which flows overlap
  std::map<HopIndex, FullestPeriods> fullest;  ///< of `ports`
};

/// Returns the ports on which flows overlap, at most `most`: by pairs that do, then by the time in
/// which they were shared, then by number.
WorstPorts FindWorstPorts(const CollisionAnalysis& analysis, std::size_t most);

}  // namespace heddle
