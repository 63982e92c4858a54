// SPDX-License-Identifier: GPL-2.0-only
/// Steps of plans whose collectives and messages all take one time: what a test works out by hand.
#pragma once

#include <ns3/simulator.h>

#include <algorithm>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/traffic/workload.h"
#include "tests/models/collectives/fixed_time_backend.h"

namespace heddle::testing {

/// Returns when the last GPU of the jobs ends [us], if each collective and message takes `each`.
inline double EndAtOnePrice(const Graph& graph, const std::vector<Job>& jobs, Time each) {
  FlowCoordinator coordinator(graph, jobs, CollectiveOptions(), /*timeline=*/false);
  const Domains domains = MakeDomains(graph, {Time{0}, 1});
  FixedTime fixed(graph, domains, each);
  AnalyticalBackend backend(fixed.Input());
  backend.Drive(&coordinator);
  EngineSetup setup;
  setup.on_cut = [](const Cut&) {};
  backend.Run(EngineKind::kDomain, Communicator::Serial(), setup);
  ns3::Simulator::Destroy();
  Time end;
  for (const FinishRecord& finish : coordinator.context().finishes) end = std::max(end, finish.end);
  return end.microseconds();
}

/// Returns how long a GPU computes in a step [us].
inline double ComputedMicroseconds(const heddle::Workload& workload) {
  double sum = 0;
  for (const Layer& layer : workload.layers)
    sum += layer.forward.compute.microseconds() + layer.input_gradient.compute.microseconds() +
           layer.weight_gradient.compute.microseconds();
  return sum;
}

}  // namespace heddle::testing
