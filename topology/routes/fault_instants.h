// SPDX-License-Identifier: GPL-2.0-only
/// The instants at which a fabric changes: links fail, come back or change their rate, and routes
/// follow.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/units.h"
#include "topology/routes/failures.h"
#include "topology/routes/route_timeline.h"

namespace heddle {

/// An instant at which links change, routes change, or both.
struct FaultInstant {
  Time time;
  std::vector<LinkEvent> links;
  std::uint32_t epoch = kSameRoutes;  ///< of the routes from here on; epochs come one by one

  static constexpr std::uint32_t kSameRoutes = ~0U;
};

/// Joins link events and new routes by time. `failures`: those from which the timeline was made.
std::vector<FaultInstant> JoinInstants(const std::vector<LinkEvent>& failures,
                                       const RouteTimeline& timeline);

}  // namespace heddle
