// SPDX-License-Identifier: GPL-2.0-only
#include "transport/state/scale_up_ideal.h"

#include <algorithm>
#include <vector>

#include "topology/routes/routes.h"
#include "transport/scale_up/scale_up_link.h"

namespace heddle {
namespace {

/// The ports of a way, one a hop; empty if there is none.
std::vector<Attachment> WayOf(const FabricContext& context, const FlowRecord& flow,
                              std::uint16_t lane) {
  constexpr std::size_t kMostHops = 1U << 16;
  const Graph& graph = *context.graph;
  const ScaleUpRun& run = *context.scale_up;
  std::vector<Attachment> way;
  std::vector<PortId> ports;
  for (NodeId at = flow.flow.source; at != flow.destination && way.size() < kMostHops;) {
    if (run.routes) {
      ports.assign(1, run.routes->Next(at, flow.destination, lane));
    } else {
      context.RoutesAt(flow.start).NextHops(at, flow.destination, &ports);
    }
    if (ports.empty()) return {};
    way.push_back(graph.ports(at)[ports[0].value]);
    at = way.back().peer;
  }
  return way;
}

/// Of a message that meets nobody (scale_up.congestion=false).
Time TimeWithoutOthers(const std::vector<ScaleUpLink>& links, std::int64_t size) {
  Time sum = links[0].Reach(size, links[0].PacketsOf(size));
  for (std::size_t i = 1; i < links.size(); ++i)
    sum += links[i].ExtraTo(links[i - 1], size) + links[i].delay();
  return sum;
}

}  // namespace

Time ScaleUpIdealTime(const FabricContext& context, const FlowRecord& flow, std::uint16_t lane) {
  const Graph& graph = *context.graph;
  Time delays, before, slowest, least;  // before: of a full packet, over the hops so far
  std::vector<ScaleUpLink> links;
  for (const Attachment& hop : WayOf(context, flow, lane)) {
    const Link& link = graph.link(hop.link);
    if (link.layer == Link::kEthernet) return Time{0};
    const ScaleUpShape& shape = *graph.scale_up();
    links.emplace_back(shape.levels[link.layer - 1], link.rate, link.delay, shape.whole_ns);
    delays += link.delay;
  }
  if (links.empty()) return Time{0};
  const std::int64_t packets = links[0].PacketsOf(flow.size);
  if (!context.scale_up->options.congestion) return TimeWithoutOthers(links, flow.size);
  const std::int64_t full = links[0].packet_bytes(), last = flow.size - (packets - 1) * full;
  Time rest;  // of the last packet, over the hops from here on
  for (const ScaleUpLink& link : links) rest += link.TimeOfAny(last);
  if (packets == 1) {
    Time sum;
    for (const ScaleUpLink& link : links) sum += link.Reach(last, link.PacketsOf(last));
    return sum;
  }
  for (const ScaleUpLink& link : links) {
    before += link.TimeOfAny(full);
    slowest = std::max(slowest, link.TimeOfAny(full));
    least = std::max(least, before + slowest * (packets - 2) + rest);
    rest = rest - link.TimeOfAny(last);
  }
  return least + delays;
}

}  // namespace heddle
