// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/path_capacities.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_account.h"

namespace heddle {

LinkRates::LinkRates(const Graph& graph) {
  rates_.reserve(2 * graph.links().size());
  for (const Link& link : graph.links()) rates_.insert(rates_.end(), 2, link.rate);
}

void LinkRates::Apply(const Graph& graph, const LinkEvent& event) {
  if (event.kind != LinkEvent::Kind::kRate) return;
  const Link& link = graph.link(event.link);
  const std::size_t at = 2 * std::size_t{event.link.value};
  if (event.sender != link.b) rates_[at] = event.rate;
  if (event.sender != link.a) rates_[at + 1] = event.rate;
}

PathCapacities::PathCapacities(const Graph& graph, const Routes& routes, const LinkRates& rates)
    : hops_(graph),
      ports_(hops_.count()),
      classes_(routes.class_count()),
      row_(graph.node_count(), kNone) {
  ShareCables(graph, routes, rates);
  std::vector<NodeId> core;
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    if (!routes.is_core(NodeId(i))) continue;
    row_[i] = static_cast<std::uint32_t>(core.size());
    core.emplace_back(i);
  }
  capacities_.resize(core.size() * classes_);
  std::vector<std::pair<std::uint32_t, NodeId>> near;  // by distance: each needs those before it
  std::vector<PortId> ports;
  for (std::uint32_t cls = 0; cls < classes_; ++cls) {
    near.clear();
    for (const NodeId node : core) {
      const std::uint32_t hops = routes.HopsToClass(node, cls);
      if (hops != Routes::kUnreachable) near.emplace_back(hops, node);
    }
    std::sort(near.begin(), near.end());
    for (const auto& [hops, node] : near) {
      BitRate& capacity = capacities_[std::size_t{row_[node.value]} * classes_ + cls];
      routes.NextHopsToClass(node, cls, &ports);
      if (ports.empty()) capacity = kUnlimited;  // its GPUs are here
      for (const PortId port : ports) capacity.bps += Onward(graph, node, port, cls).bps;
    }
  }
}

void PathCapacities::ShareCables(const Graph& graph, const Routes& routes, const LinkRates& rates) {
  std::map<NodeId, std::int64_t> all;  // R by peer
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    const NodeId node(i);
    const std::vector<Attachment>& ports = graph.ports(node);
    all.clear();
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      const BitRate rate = rates.Of(graph, ports[port].link, node);
      ports_[hops_.Of(node, PortId(port))].rate = rate;
      if (routes.is_up(ports[port].link)) all[ports[port].peer] += rate.bps;
    }
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      PortShare& share = ports_[hops_.Of(node, PortId(port))];
      if (routes.is_up(ports[port].link))
        share.part =
            static_cast<double>(share.rate.bps) / static_cast<double>(all[ports[port].peer]);
    }
  }
}

std::size_t PathCapacities::memory() const {
  return MemoryOf(row_) + MemoryOf(capacities_) + MemoryOf(ports_);
}

CapacityTimeline::CapacityTimeline(const Graph& graph, const std::vector<RouteEpoch>& epochs,
                                   const std::vector<LinkEvent>& events, Time convergence) {
  std::set<std::int64_t> changes;  // when a change of a rate is known
  for (const LinkEvent& event : events) {
    if (event.kind == LinkEvent::Kind::kRate) changes.insert((event.time + convergence).ps);
  }
  LinkRates rates(graph);
  std::size_t applied = 0;
  const auto add = [&](Time time, std::uint32_t epoch) {
    for (; applied < events.size() && events[applied].time + convergence <= time; ++applied)
      rates.Apply(graph, events[applied]);
    steps_.push_back({time, epoch, PathCapacities(graph, *epochs[epoch].routes, rates)});
  };
  for (std::uint32_t epoch = 0; epoch < epochs.size(); ++epoch) {
    const Time begin = epochs[epoch].time;
    const Time end = epoch + 1 < epochs.size() ? epochs[epoch + 1].time : Time::Max();
    add(begin, epoch);
    for (auto at = changes.upper_bound(begin.ps); at != changes.end() && *at < end.ps; ++at)
      add(Time{*at}, epoch);
  }
}

std::uint32_t CapacityTimeline::First(std::uint32_t epoch) const {
  const auto first = std::find_if(steps_.begin(), steps_.end(),
                                  [epoch](const Step& step) { return step.epoch == epoch; });
  HEDDLE_EXPECT(first != steps_.end());
  return static_cast<std::uint32_t>(first - steps_.begin());
}

std::size_t CapacityTimeline::memory() const {
  std::size_t sum = MemoryOf(steps_);
  for (const Step& step : steps_) sum += step.capacities.memory();
  return sum;
}

}  // namespace heddle
