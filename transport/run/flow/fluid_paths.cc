// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/flow/fluid_paths.h"

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/base/memory_account.h"
#include "transport/model/wire/wire_time.h"

namespace heddle {

FluidPaths::FluidPaths(const FluidRun* run) : run_(*run), routes_(run) {
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

EcnTable::Thresholds FluidPaths::MarksOf(NodeId node, LinkId link) const {
  if (run_.graph->kind(node) != NodeKind::kSwitch) return {};
  return run_.ecn->For(routes_.RateOf(node, link), Describe(*run_.graph, node));
}

std::vector<EcnTable::Thresholds> FluidPaths::Marks() const {
  const Graph& graph = *run_.graph;
  std::vector<EcnTable::Thresholds> marks;
  marks.reserve(links());
  std::map<BitRate, EcnTable::Thresholds> known;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    const bool is_switch = graph.kind(NodeId(node)) == NodeKind::kSwitch;
    for (const Attachment& port : graph.ports(NodeId(node))) {
      const BitRate rate = graph.link(port.link).rate;
      if (is_switch && known.count(rate) == 0) known[rate] = MarksOf(NodeId(node), port.link);
      marks.push_back(is_switch ? known[rate] : EcnTable::Thresholds());
    }
  }
  return marks;
}

std::pair<NodeId, PortId> FluidPaths::PortOf(std::uint32_t link) const {
  const auto after = std::upper_bound(first_link_.begin(), first_link_.end(), link);
  const NodeId node(static_cast<std::uint32_t>(after - first_link_.begin()) - 1);
  return {node, PortId(link - first_link(node))};
}

FluidRate FluidPaths::RateOf(std::uint32_t link) const {
  const auto [node, port] = PortOf(link);
  return FluidRateOf(routes_.RateOf(node, run_.graph->ports(node)[port.value].link));
}

FluidPath FluidPaths::Find(NodeId source, NodeId destination, std::uint16_t source_port,
                           std::uint16_t destination_port) const {
  FluidPath path;
  const bool there = Follow({source, destination, source_port, destination_port}, /*data=*/true,
                            &path.there, &path.hops_there);
  const bool back = Follow({destination, source, destination_port, source_port}, /*data=*/false,
                           &path.back, &path.hops_back);
  path.open = there && back;
  if (path.open) path.window = WindowOf(path, source, destination);
  return path;
}

bool FluidPaths::Follow(const NicFlow& flow, bool data, std::vector<FluidHop>* links,
                        std::vector<FluidPath::Hop>* hops) const {
  const Graph& graph = *run_.graph;
  std::vector<FluidRoutes::Part> parts;
  bool splits = false;
  for (NodeId node = flow.from; node != flow.to;) {
    routes_.Choose(node, flow, data, kWholeWeight, &parts);
    if (parts.empty()) return false;
    splits = splits || parts.size() > 1;
    const Attachment& port = graph.ports(node)[parts[0].port.value];
    if (!splits && routes_.is_down(port.link)) return false;
    links->push_back({first_link(node) + parts[0].port.value, kWholeWeight});
    hops->push_back({routes_.RateOf(node, port.link), routes_.BestRateOf(port.link),
                     graph.link(port.link).delay});
    node = port.peer;
  }
  return !splits || Spread(flow, data, links);
}

bool FluidPaths::Spread(const NicFlow& flow, bool data, std::vector<FluidHop>* links) const {
  const Graph& graph = *run_.graph;
  std::map<std::uint32_t, FluidWeight> sums;  // by link
  Parts here{{flow.from, kWholeWeight}};
  std::vector<FluidRoutes::Part> parts;
  while (!here.empty()) {
    Parts next;
    for (const auto& [node, weight] : here) {
      routes_.Choose(node, flow, data, weight, &parts);
      if (parts.empty()) return false;
      for (const FluidRoutes::Part& part : parts) {
        const Attachment& port = graph.ports(node)[part.port.value];
        if (routes_.is_down(port.link)) return false;
        sums[first_link(node) + part.port.value] += part.weight;
        if (port.peer != flow.to) next[port.peer] += part.weight;
      }
    }
    here.swap(next);
  }
  const std::uint32_t first = (*links)[0].link;  // the source's, of all of it
  links->assign(1, {first, kWholeWeight});
  for (const auto& [link, weight] : sums) {
    if (link != first) links->push_back({link, weight});
  }
  return true;
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
  FluidTimes times;
  times.there = TimeThere(path, &FluidPath::Hop::rate, source, destination, size);
  times.back = TimeBack(path, &FluidPath::Hop::rate);
  times.ideal = run_.instants.empty()
                    ? times.there + times.back
                    : TimeThere(path, &FluidPath::Hop::best, source, destination, size) +
                          TimeBack(path, &FluidPath::Hop::best);
  BitRate narrowest = path.hops_there[0].rate;
  for (const FluidPath::Hop& hop : path.hops_there) narrowest = std::min(narrowest, hop.rate);
  const FluidVolume volume = FluidVolumeOf(WireBytes(source, destination, size));
  const Time alone = TimeOfVolume(volume, FluidRateOf(narrowest));
  times.after = std::max(times.there - alone, Time{0});
  return times;
}

Time FluidPaths::TimeThere(const FluidPath& path, BitRate FluidPath::Hop::*rate, NodeId source,
                           NodeId destination, std::int64_t size) const {
  const std::int64_t payload = run_.trains.PayloadOf(source, destination);
  const std::int64_t packets = Packets(source, destination, size);
  const std::int64_t last = run_.trains.WireBytes(size - (packets - 1) * payload);
  Time delays, after;
  for (const FluidPath::Hop& hop : path.hops_there) {
    delays += hop.delay;
    after += Wire(hop.*rate, last);
  }
  if (packets == 1) return delays + after;
  Time longest, before, widest;
  for (const FluidPath::Hop& hop : path.hops_there) {
    const Time full = Wire(hop.*rate, run_.trains.WireBytes(payload));
    before += full;
    widest = std::max(widest, full);
    longest = std::max(longest, before + widest * (packets - 2) + after);
    after = after - Wire(hop.*rate, last);
  }
  return delays + longest;
}

Time FluidPaths::TimeBack(const FluidPath& path, BitRate FluidPath::Hop::*rate) const {
  Time sum;
  for (const FluidPath::Hop& hop : path.hops_back) sum += hop.delay + Wire(hop.*rate, run_.ack);
  return sum;
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

std::size_t FluidPaths::memory() const { return MemoryOf(first_link_) + routes_.memory(); }

}  // namespace heddle
