// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_run.h"

#include <algorithm>
#include <memory>

#include "topology/graph/link_tiers.h"

namespace heddle {
namespace {

/// Adds the instants at which switches come to know of others' new rates.
void AddCapacitySteps(const std::vector<LinkEvent>& failures, Time convergence,
                      std::vector<FaultInstant>* instants) {
  for (const LinkEvent& event : failures) {
    if (event.kind != LinkEvent::Kind::kRate) continue;
    FaultInstant known;
    known.time = event.time + convergence;
    const auto place = std::lower_bound(
        instants->begin(), instants->end(), known.time,
        [](const FaultInstant& instant, Time time) { return instant.time < time; });
    if (place == instants->end() || place->time != known.time) instants->insert(place, known);
  }
}

}  // namespace

void PlanInstants(const std::vector<LinkEvent>& failures, Time convergence, FluidRun* run) {
  const Graph& graph = *run->graph;
  if (run->balance.any()) {
    const LinkTiers tiers(graph);
    for (const std::uint8_t level : tiers.levels())
      run->balances.push_back(run->balance.AppliesTo(level));
  }
  const RouteTimeline timeline(std::make_shared<const Routes>(*run->routes), failures, convergence);
  run->epochs = timeline.epochs();
  run->instants = JoinInstants(failures, timeline);
  if (!run->balance.weighted) return;
  run->capacities = CapacityTimeline(graph, run->epochs, failures, convergence);
  AddCapacitySteps(failures, convergence, &run->instants);
}

}  // namespace heddle
