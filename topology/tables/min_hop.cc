// SPDX-License-Identifier: GPL-2.0-only
/// Makers of tables by shortest paths: minhop and random.
#include "core/base/random.h"
#include "topology/tables/paths_to_switches.h"
#include "topology/tables/table_makers.h"

namespace heddle {
namespace {

PathsToGroup ShortestPaths(const SwitchWiring& wiring, const SwitchWiring::Group& group) {
  const std::vector<std::uint32_t> distance = wiring.DistancesTo(group.switches);
  PathsToGroup ways(wiring.size());
  for (std::uint32_t index = 0; index < wiring.size(); ++index) {
    if (distance[index] == 0 || distance[index] == SwitchWiring::kFar) continue;
    for (const SwitchWiring::Neighbour& next : wiring.neighbours(index)) {
      if (distance[next.node] + 1 == distance[index]) ways[index].push_back(next.port);
    }
  }
  return ways;
}

}  // namespace

ForwardingTables MinHopTables(const Graph& graph) {
  const SwitchWiring wiring(graph);
  return FillTables(
      wiring, [&](const SwitchWiring::Group& group) { return ShortestPaths(wiring, group); },
      LeastDestinations(wiring));
}

ForwardingTables RandomTables(const Graph& graph, std::uint64_t seed) {
  const SwitchWiring wiring(graph);
  // One stream a GPU, from which the switches draw in the order of their numbers.
  NodeId last;
  RandomStream random(seed, 0, RandomPurpose::kForwardingTable);
  return FillTables(
      wiring, [&](const SwitchWiring::Group& group) { return ShortestPaths(wiring, group); },
      [&](std::uint32_t, NodeId gpu, const std::vector<PortId>& ports) -> std::size_t {
        if (gpu != last) random = RandomStream(seed, gpu.value, RandomPurpose::kForwardingTable);
        last = gpu;
        return random.Below(ports.size());
      });
}

}  // namespace heddle
