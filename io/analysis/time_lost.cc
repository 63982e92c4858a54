// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/time_lost.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace heddle {
namespace {

/// Time in which each flow shared its source's port with flows of the same source, beyond its own
/// part of it [ps]: the integral of 1 - 1/k over the flow, with k flows under way. The ports to the
/// server's NVSwitches and those to the network are apart.
std::vector<double> SharedWithOwn(const Graph& graph, const FlowView& flows) {
  const auto port_of = [&](std::size_t i) {
    return std::make_pair(flows.src[i],
                          graph.SameServer(NodeId(flows.src[i]), NodeId(flows.dst[i])));
  };
  struct Event {
    std::int64_t time;
    bool begins;
    std::size_t flow;
  };
  std::map<std::pair<std::uint32_t, bool>, std::vector<Event>> events;
  for (std::size_t i = 0; i < flows.src.size(); ++i) {
    if (!flows.started(i)) continue;
    events[port_of(i)].push_back({flows.start[i], true, i});
    if (flows.fct[i] >= 0) events[port_of(i)].push_back({flows.end(i), false, i});
  }
  std::vector<double> shared(flows.src.size());
  for (auto& [port, list] : events) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    double integral = 0;
    std::int64_t before = list.front().time, under_way = 0;
    for (const Event& event : list) {
      if (under_way > 1) {
        integral +=
            static_cast<double>(event.time - before) * (1 - 1 / static_cast<double>(under_way));
      }
      before = event.time;
      under_way += event.begins ? 1 : -1;
      shared[event.flow] += event.begins ? -integral : integral;
    }
  }
  return shared;
}

}  // namespace

std::vector<double> TimesLost(const Graph& graph, const FlowView& flows) {
  std::vector<double> lost = SharedWithOwn(graph, flows);
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const double more = static_cast<double>(flows.fct[i] - flows.ideal[i]) - lost[i];
    lost[i] = flows.fct[i] < 0 ? 0 : std::max(0.0, more);
  }
  return lost;
}

std::vector<std::size_t> MostLost(const FlowView& flows, const std::vector<double>& lost,
                                  std::size_t most) {
  constexpr double kLittle = 0.01;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lost.size(); ++i) {
    if (flows.fct[i] >= 0 && lost[i] > kLittle * static_cast<double>(flows.fct[i]))
      order.push_back(i);
  }
  const std::size_t shown = std::min(order.size(), most);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
      [&](std::size_t a, std::size_t b) { return lost[a] != lost[b] ? lost[a] > lost[b] : a > b; });
  order.resize(shown);
  return order;
}

}  // namespace heddle
