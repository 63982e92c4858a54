// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/fault_instants.h"

#include <map>
#include <utility>

namespace heddle {

std::vector<FaultInstant> JoinInstants(const std::vector<LinkEvent>& failures,
                                       const RouteTimeline& timeline) {
  std::map<std::int64_t, FaultInstant> by_time;
  for (const LinkEvent& event : failures) by_time[event.time.ps].links.push_back(event);
  for (std::uint32_t epoch = 1; epoch < timeline.epochs().size(); ++epoch) {
    by_time[timeline.epochs()[epoch].time.ps].epoch = epoch;
  }
  std::vector<FaultInstant> instants;
  for (auto& [time, instant] : by_time) {
    instant.time = Time{time};
    instants.push_back(std::move(instant));
  }
  return instants;
}

}  // namespace heddle
