// SPDX-License-Identifier: GPL-2.0-only
/// A schedule written out as a list of flows, as SimAI holds it: for people and for tests, never
/// for a run.
///
/// Source of the fields: SimAI's MockNcclChannel.h (SingleFlow).
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_H_

#include <cstdint>
#include <vector>

#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"
#include "core/base/ids.h"

namespace heddle {

struct SingleFlow {
  std::uint32_t id = 0;  ///< place in the list
  NodeId src, dst;
  std::int64_t bytes = 0;    ///< of data
  std::vector<NodeId> prev;  ///< who sends what src has to have before it sends; ascending
  std::vector<std::uint32_t> parents;   ///< ids of what has to arrive at src first; ascending
  std::vector<std::uint32_t> children;  ///< ids of what waits for this at dst; ascending
  std::uint32_t channel = 0;
  std::uint32_t chunk = 0;
  std::uint32_t chunk_count = 0;  ///< of the channel
  Connection connection = Connection::kRing;
};

constexpr std::uint64_t kMostExplicitFlows = 10'000'000;

/// All flows, in the schedule's order. Later pieces that wait for nothing but the departure of
/// earlier ones have no parents. Throws UserError if there are more than kMostExplicitFlows, saying
/// how many.
std::vector<SingleFlow> MakeExplicitFlows(const Schedule& schedule, const GroupShape& shape);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_H_
