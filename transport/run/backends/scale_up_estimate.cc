// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/scale_up_estimate.h"

namespace heddle {
namespace {

// Measured: ResNet-50 on 2 x 8 x 8 NPUs, in trains; a permutation on a torus, packet by packet
// (docs/performance.md); an AllReduce and an AllToAll over NVLinks under credits.
constexpr double kEventsPerScaleUpFlow = 5.2;
constexpr double kEventsPerScaleUpHop = 2;
constexpr double kEventsPerSecond = 5e6;
constexpr double kEventsPerNvLinkHop = 2.5, kNvLinkEventsPerSecond = 1e7;

}  // namespace

TrafficCost CostOfScaleUp(const Graph& graph, const ScaleUpRun& run, const TrafficWalk& traffic) {
  TrafficCost cost;
  traffic([&](NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count) {
    const PortId port = run.routes->Next(source, destination, ScaleUpRoutes::kAnyLane);
    const Link& link = graph.link(graph.ports(source)[port.value].link);
    const std::int64_t packet = graph.scale_up()->levels[link.layer - 1].packet_bytes;
    const auto flows = static_cast<double>(count);
    const auto packets = static_cast<double>((bytes + packet - 1) / packet);
    cost.flows += flows;
    cost.bytes += flows * static_cast<double>(bytes);
    cost.packet_hops += flows * packets * run.routes->Hops(source, destination);
  });
  cost.events = kEventsPerScaleUpFlow * cost.flows;
  if (!run.neighbours_only || !run.options.trains)
    cost.events += kEventsPerScaleUpHop * cost.packet_hops;
  cost.seconds = cost.events / kEventsPerSecond;
  return cost;
}

bool StaysOnNvLinks(const Graph& graph, const ScaleUpRun& run, NodeId source, NodeId destination) {
  if (run.direct) return run.direct->in_one_server(source, destination);

  if (graph.kind(source) == NodeKind::kNvSwitch || graph.kind(destination) == NodeKind::kNvSwitch)
    return true;
  return graph.nvswitch_count() > 0 && graph.SameServer(source, destination);
}

TrafficCost CostOfNvLinks(const Graph& graph, const ScaleUpRun& run, const TrafficWalk& traffic) {
  const std::int64_t packet = graph.scale_up()->levels.front().packet_bytes;
  TrafficCost cost;
  traffic([&](NodeId source, NodeId destination, std::int64_t bytes, std::uint64_t count) {
    if (!StaysOnNvLinks(graph, run, source, destination)) return;
    const double hops = run.direct ? run.direct->Hops(source, destination)
                        : graph.is_gpu(source) && graph.is_gpu(destination) ? 2
                                                                            : 1;
    const auto flows = static_cast<double>(count);
    cost.flows += flows;
    cost.bytes += flows * static_cast<double>(bytes);
    cost.packet_hops += flows * hops * static_cast<double>((bytes + packet - 1) / packet);
  });
  cost.events = kEventsPerScaleUpFlow * cost.flows + kEventsPerNvLinkHop * cost.packet_hops;
  cost.seconds = cost.events / kNvLinkEventsPerSecond;
  return cost;
}

}  // namespace heddle
