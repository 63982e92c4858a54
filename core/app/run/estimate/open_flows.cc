// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/open_flows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace heddle {
namespace {

/// Sum of the rates of a GPU's links to switches, or of all its links if none leads to a switch
/// [bit/s].
double RateOf(const Graph& graph, NodeId gpu) {
  double to_switches = 0, all = 0;
  for (const Attachment& port : graph.ports(gpu)) {
    const auto rate = static_cast<double>(graph.link(port.link).rate.bps);
    all += rate;
    if (graph.kind(port.peer) == NodeKind::kSwitch) to_switches += rate;
  }
  return to_switches > 0 ? to_switches : std::max(all, 1.0);
}

struct End {
  double seconds_per_byte = 0;
  double sends_until = 0, receives_until = 0;  // s
  // End times of the flows that this GPU sends [s].
  std::priority_queue<double, std::vector<double>, std::greater<>> open;
  std::size_t most = 0;
};

}  // namespace

std::vector<std::uint32_t> MostOpenFlows(const Graph& graph,
                                         const std::vector<FlowRequest>& flows) {
  std::vector<End> ends(graph.gpu_count());
  for (std::uint32_t gpu = 0; gpu < ends.size(); ++gpu)
    ends[gpu].seconds_per_byte = 8 / RateOf(graph, NodeId(gpu));
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows[a].start < flows[b].start; });
  for (const std::size_t i : order) {
    const FlowRequest& flow = flows[i];
    End& from = ends[flow.source.value];
    End& to = ends[flow.destination.value];
    const double start = flow.start.seconds(), bytes = static_cast<double>(flow.size.count);
    while (!from.open.empty() && from.open.top() <= start) from.open.pop();
    from.sends_until = std::max(from.sends_until, start) + bytes * from.seconds_per_byte;
    to.receives_until = std::max(to.receives_until, start) + bytes * to.seconds_per_byte;
    from.open.push(std::max(from.sends_until, to.receives_until));
    from.most = std::max(from.most, from.open.size());
  }
  std::vector<std::uint32_t> most;
  for (const End& end : ends) most.push_back(static_cast<std::uint32_t>(end.most));
  return most;
}

}  // namespace heddle
