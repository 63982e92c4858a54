// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_paths.h"

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "transport/model/wire/wire_time.h"

namespace heddle {

FluidPaths::FluidPaths(const FluidRun* run) : run_(*run) {
  const Graph& graph = *run_.graph;
  first_link_.reserve(graph.node_count() + 1);
  first_link_.push_back(0);
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    first_link_.push_back(first_link_.back() +
                          static_cast<std::uint32_t>(graph.ports(NodeId(node)).size()));
  }
}

std::vector<FluidNetwork::Direction> FluidPaths::Directions() const {
  const Graph& graph = *run_.graph;
  std::vector<FluidNetwork::Direction> directions;
  directions.reserve(links());
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    for (const Attachment& port : graph.ports(NodeId(node))) {
      directions.push_back(
          {FluidRateOf(graph.link(port.link).rate), first_link(port.peer) + port.peer_port.value});
    }
  }
  return directions;
}

FluidPath FluidPaths::Find(NodeId source, NodeId destination, std::uint16_t source_port,
                           std::uint16_t destination_port) const {
  FluidPath path;
  Follow({source, destination, source_port, destination_port}, &path.there, &path.hops_there);
  Follow({destination, source, destination_port, source_port}, &path.back, &path.hops_back);
  path.window = WindowOf(path, source, destination);
  return path;
}

void FluidPaths::Follow(const NicFlow& flow, std::vector<FluidHop>* links,
                        std::vector<FluidPath::Hop>* hops) const {
  const Graph& graph = *run_.graph;
  std::vector<heddle::Hop> path;
  if (!FollowFlow(graph, *run_.routes, flow, &path))
    throw UserError(DescribeNoPath(graph, *run_.routes, flow.from, flow.to));
  for (const heddle::Hop& hop : path) {
    const Link& link = graph.link(graph.ports(hop.node)[hop.port.value].link);
    hops->push_back({link.rate, link.delay});
    links->push_back({first_link(hop.node) + hop.port.value, kWholeWeight});
  }
  if (!run_.sprays || path.size() < 2) return;
  links->resize(1);  // the source's port is chosen once
  Spray(path[1].node, flow.to, links);
}

void FluidPaths::Spray(NodeId from, NodeId to, std::vector<FluidHop>* links) const {
  const Graph& graph = *run_.graph;
  std::map<std::uint32_t, FluidWeight> parts;  // by link
  std::map<NodeId, FluidWeight> here{{from, kWholeWeight}};
  std::vector<PortId> ports;
  while (!here.empty()) {
    std::map<NodeId, FluidWeight> next;
    for (const auto& [node, weight] : here) {
      run_.routes->NextHops(node, to, &ports);
      const auto count = static_cast<FluidWeight>(ports.size());
      HEDDLE_INVARIANT(count > 0, "a path that ends before its destination");
      for (FluidWeight i = 0; i < count; ++i) {
        const FluidWeight part = weight / count + (i < weight % count ? 1 : 0);
        if (part == 0) continue;
        parts[first_link(node) + ports[i].value] += part;
        const NodeId peer = graph.ports(node)[ports[i].value].peer;
        if (peer != to) next[peer] += part;
      }
    }
    here.swap(next);
  }
  for (const auto& [link, part] : parts) links->push_back({link, std::min(part, kWholeWeight)});
}

std::int64_t FluidPaths::Packets(NodeId source, NodeId destination, std::int64_t size) const {
  const std::int64_t payload = run_.trains.PayloadOf(source, destination);
  return (size + payload - 1) / payload;
}

std::int64_t FluidPaths::WireBytes(NodeId source, NodeId destination, std::int64_t size) const {
  const std::int64_t payload = run_.trains.PayloadOf(source, destination);
  const std::int64_t full = (size - 1) / payload;
  return full * run_.trains.WireBytes(payload) + run_.trains.WireBytes(size - full * payload);
}

Time FluidPaths::Wire(BitRate rate, std::int64_t bytes) const {
  return WireTimeAt(rate, bytes, run_.truncate_ns);
}

const FluidTimes& FluidPaths::TimesOf(FluidPath* path, NodeId source, NodeId destination,
                                      std::int64_t size) const {
  if (path->known_size != size) {
    path->known = FindTimes(*path, source, destination, size);
    path->known_size = size;
  }
  return path->known;
}

FluidTimes FluidPaths::FindTimes(const FluidPath& path, NodeId source, NodeId destination,
                                 std::int64_t size) const {
  const std::int64_t payload = run_.trains.PayloadOf(source, destination);
  const std::int64_t packets = Packets(source, destination, size);
  const std::int64_t last = run_.trains.WireBytes(size - (packets - 1) * payload);
  FluidTimes times;
  Time delays, after;
  BitRate narrowest = path.hops_there[0].rate;
  for (const FluidPath::Hop& hop : path.hops_there) {
    delays += hop.delay;
    after += Wire(hop.rate, last);
    narrowest = std::min(narrowest, hop.rate);
  }
  Time longest = after, before, widest;
  if (packets > 1) {
    longest = Time{0};
    for (const FluidPath::Hop& hop : path.hops_there) {
      const Time full = Wire(hop.rate, run_.trains.WireBytes(payload));
      before += full;
      widest = std::max(widest, full);
      longest = std::max(longest, before + widest * (packets - 2) + after);
      after = after - Wire(hop.rate, last);
    }
  }
  times.there = delays + longest;
  for (const FluidPath::Hop& hop : path.hops_back)
    times.back += hop.delay + Wire(hop.rate, run_.ack);
  const FluidVolume volume = FluidVolumeOf(WireBytes(source, destination, size));
  const Time alone = TimeOfVolume(volume, FluidRateOf(narrowest));
  times.after = std::max(times.there - alone, Time{0});
  return times;
}

FluidWindow FluidPaths::WindowOf(const FluidPath& path, NodeId source, NodeId destination) const {
  if (!run_.has_window) return {};
  const Bytes window =
      run_.pair_window ? run_.metrics->Pair(source, destination).bdp() : run_.metrics->max_bdp();
  FluidWindow of;
  of.volume = FluidVolumeOf(window.count + run_.packet);
  for (const FluidPath::Hop& hop : path.hops_there)
    of.round_trip += hop.delay + Wire(hop.rate, run_.packet);
  for (const FluidPath::Hop& hop : path.hops_back)
    of.round_trip += hop.delay + Wire(hop.rate, run_.ack);
  return of;
}

std::size_t FluidPaths::memory() const { return MemoryOf(first_link_); }

}  // namespace heddle
