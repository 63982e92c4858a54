// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/scale_up_ideal.h"

#include <algorithm>
#include <vector>

#include "topology/routes/routes.h"
#include "transport/model/scale_up/scale_up_link.h"

namespace heddle {
namespace {

/// The links of a path, at least one.
struct Links {
  const ScaleUpLink* first;
  std::size_t count;

  const ScaleUpLink* begin() const { return first; }
  const ScaleUpLink* end() const { return first + count; }
  const ScaleUpLink& operator[](std::size_t i) const { return first[i]; }
};

ScaleUpLink ScaleUpLinkOf(const ScaleUpShape& shape, const Link& link) {
  return {shape.levels[link.layer - 1], link.rate, link.delay, shape.whole_ns};
}

/// Returns the egress ports of a path, one a hop; empty if there is none.
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

/// Returns the link of a path that goes by arithmetic to a neighbour; null for all other paths.
const Link* LinkToNeighbour(const FabricContext& context, const FlowRecord& flow,
                            std::uint16_t lane) {
  const ScaleUpRun& run = *context.scale_up;
  const NodeId source = flow.flow.source;
  if (!run.routes || source == flow.destination) return nullptr;
  const PortId port = run.routes->Next(source, flow.destination, lane);
  const Attachment& hop = context.graph->ports(source)[port.value];
  return hop.peer == flow.destination ? &context.graph->link(hop.link) : nullptr;
}

/// Returns the time of a message that meets no other (scale_up.congestion=false).
Time TimeWithoutOthers(Links links, std::int64_t size) {
  Time sum = links[0].Reach(size, links[0].PacketsOf(size));
  for (std::size_t i = 1; i < links.count; ++i)
    sum += links[i].ExtraTo(links[i - 1], size) + links[i].delay();
  return sum;
}

/// Returns the time packet by packet: all on the slowest link, and what is before and after it.
Time TimeByPackets(Links links, std::int64_t size) {
  const std::int64_t packets = links[0].PacketsOf(size), full = links[0].packet_bytes();
  const std::int64_t last = size - (packets - 1) * full;
  if (packets == 1) {
    Time sum;
    for (const ScaleUpLink& link : links) sum += link.Reach(last, link.PacketsOf(last));
    return sum;
  }
  Time delays, rest;  // rest: of the last packet, over the hops from here on
  for (const ScaleUpLink& link : links) {
    delays += link.delay();
    rest += link.TimeOfAny(last);
  }
  Time before, slowest, least;  // before: of a full packet, over the hops so far
  for (const ScaleUpLink& link : links) {
    before += link.TimeOfAny(full);
    slowest = std::max(slowest, link.TimeOfAny(full));
    least = std::max(least, before + slowest * (packets - 2) + rest);
    rest = rest - link.TimeOfAny(last);
  }
  return least + delays;
}

Time TimeOver(const FabricContext& context, Links links, std::int64_t size) {
  return context.scale_up->options.congestion ? TimeByPackets(links, size)
                                              : TimeWithoutOthers(links, size);
}

}  // namespace

Time ScaleUpIdealTime(const FabricContext& context, const FlowRecord& flow, std::uint16_t lane) {
  const Graph& graph = *context.graph;
  // Most messages of phases go to a neighbour: nothing is allocated for them.
  if (const Link* only = LinkToNeighbour(context, flow, lane)) {
    if (only->layer == Link::kEthernet) return Time{0};
    const ScaleUpLink link = ScaleUpLinkOf(*graph.scale_up(), *only);
    return TimeOver(context, {&link, 1}, flow.size);
  }
  std::vector<ScaleUpLink> links;
  for (const Attachment& hop : WayOf(context, flow, lane)) {
    const Link& link = graph.link(hop.link);
    if (link.layer == Link::kEthernet) return Time{0};
    links.push_back(ScaleUpLinkOf(*graph.scale_up(), link));
  }
  if (links.empty()) return Time{0};
  return TimeOver(context, {links.data(), links.size()}, flow.size);
}

}  // namespace heddle
