// SPDX-License-Identifier: GPL-2.0-only
/// A schedule as an explicit list of flows, as in SimAI: for people and tests, never for a run.
///
/// Source of the fields: SimAI's MockNcclChannel.h (SingleFlow).
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/base/ids.h"

namespace heddle {

struct SingleFlow {
  std::uint32_t id = 0;  ///< index in the list
  NodeId src, dst;
  std::int64_t bytes = 0;    ///< bytes of data
  std::vector<NodeId> prev;  ///< senders of the messages that src must receive first; ascending
  std::vector<std::uint32_t> parents;   ///< ids of flows that must arrive at src first; ascending
  std::vector<std::uint32_t> children;  ///< ids of flows that wait for this one at dst; ascending
  std::uint32_t channel = 0;
  std::uint32_t chunk = 0;
  std::uint32_t chunk_count = 0;  ///< number of chunks of the channel
  Connection connection = Connection::kRing;
};

constexpr std::uint64_t kMostExplicitFlows = 10'000'000;

/// All flows, in the schedule's order. Later pieces that only wait for the departure of earlier
/// ones, and messages that only wait for their turn, have no parents. Throws UserError with their
/// number if there are more than kMostExplicitFlows.
std::vector<SingleFlow> MakeExplicitFlows(const Schedule& schedule, const GroupShape& shape);

}  // namespace heddle
