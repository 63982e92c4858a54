// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/collision_analysis.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/table.h"
#include "core/records/flow_vocabulary.h"

namespace heddle {
namespace {

/// The flows active on a port during a sweep: insertion and removal in constant time, without
/// order.
class ActiveFlows {
 public:
  explicit ActiveFlows(std::size_t flow_count) : place_(flow_count) {}
  const std::vector<std::uint32_t>& flows() const { return flows_; }
  void Add(std::uint32_t flow) {
    place_[flow] = static_cast<std::uint32_t>(flows_.size());
    flows_.push_back(flow);
  }
  void Remove(std::uint32_t flow) {
    flows_[place_[flow]] = flows_.back();
    place_[flows_.back()] = place_[flow];
    flows_.pop_back();
  }

 private:
  std::vector<std::uint32_t> flows_;
  std::vector<std::uint32_t> place_;  // index into flows_, by flow
};

/// Sweeps over the flows of one port in order of time. Calls `meet(flow, others)` for each flow
/// that starts, and `period(from, until, flows)` for each interval in which the same two or more
/// flows are active.
template <class Meet, class Period>
void Sweep(PortUsers::Range users, const std::vector<FlowSpan>& spans, ActiveFlows* active,
           Meet meet, Period period) {
  std::vector<std::uint32_t> ends(users.begin(), users.end());
  std::sort(ends.begin(), ends.end(), [&](std::uint32_t a, std::uint32_t b) {
    return spans[a].until != spans[b].until ? spans[a].until < spans[b].until : a < b;
  });
  auto end = ends.begin();
  const std::uint32_t* start = users.begin();
  std::int64_t since = 0;
  while (end != ends.end()) {
    const std::int64_t now =
        start != users.end() ? std::min(spans[*start].from, spans[*end].until) : spans[*end].until;
    if (active->flows().size() > 1) period(since, now, active->flows());
    since = now;
    for (; end != ends.end() && spans[*end].until == now; ++end) active->Remove(*end);
    for (; start != users.end() && spans[*start].from == now; ++start) {
      meet(*start, active->flows());
      active->Add(*start);
    }
  }
}

}  // namespace

std::vector<FlowSpan> SpansOfFlows(const Table& flows) {
  const auto& start = GetColumn<std::int64_t>(flows, "start_ps");
  const auto& fct = GetColumn<std::int64_t>(flows, "fct_ps");
  const auto& state = GetColumn<std::uint8_t>(flows, "state");
  std::int64_t last = 0;
  for (std::size_t i = 0; i < fct.size(); ++i) {
    if (fct[i] >= 0) last = std::max(last, start[i] + fct[i]);
  }
  std::vector<FlowSpan> spans(fct.size());
  for (std::size_t i = 0; i < fct.size(); ++i) {
    const bool started = static_cast<FlowState>(state[i]) != FlowState::kNotStarted;
    const bool under_way = fct[i] < 0 && started && start[i] < last;
    spans[i] = {start[i], fct[i] >= 0 ? start[i] + fct[i] : under_way ? last : start[i]};
  }
  return spans;
}

std::vector<FlowSpan> AllAtOnce(std::size_t flows) {
  return std::vector<FlowSpan>(flows, FlowSpan{0, 1});
}

std::vector<bool> BetweenServers(const Graph& graph, const Table& flows) {
  const auto& source = GetColumn<std::uint32_t>(flows, "src");
  const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
  std::vector<bool> between(source.size());
  for (std::size_t flow = 0; flow < between.size(); ++flow) {
    between[flow] = graph.InTwoServers(NodeId(source[flow]), NodeId(destination[flow]));
  }
  return between;
}

PortLists ContestedPorts(const Graph& graph, const Table& flows, const PortLists& paths) {
  const std::vector<bool> between = BetweenServers(graph, flows);
  PortLists contested;
  std::vector<HopIndex> ports;
  for (std::size_t flow = 0; flow < paths.size(); ++flow) {
    if (between[flow] && paths[flow].size() > 1) {
      ports.assign(paths[flow].begin(), paths[flow].end() - 1);
      std::sort(ports.begin(), ports.end());
      for (const HopIndex port : ports) contested.Push(port);
    }
    contested.EndFlow();
  }
  return contested;
}

PortUsers::PortUsers(const PortLists& ports_of_flows, const std::vector<FlowSpan>& spans,
                     std::uint32_t port_count)
    : first_(port_count + 1, 0) {
  std::vector<std::uint32_t> by_start;
  for (std::uint32_t flow = 0; flow < ports_of_flows.size(); ++flow) {
    if (spans[flow].from >= spans[flow].until) continue;
    by_start.push_back(flow);
    for (const HopIndex port : ports_of_flows[flow]) ++first_[port + 1];
  }
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return spans[a].from < spans[b].from; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  flows_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  for (const std::uint32_t flow : by_start) {
    for (const HopIndex port : ports_of_flows[flow]) flows_[next[port]++] = flow;
  }
}

CollisionAnalysis::CollisionAnalysis(const PortLists& ports_of_flows, std::vector<FlowSpan> spans,
                                     std::uint32_t port_count)
    : spans_(std::move(spans)), users_(ports_of_flows, spans_, port_count) {
  ActiveFlows active(spans_.size());
  for (HopIndex port = 0; port < port_count; ++port) {
    const PortUsers::Range users = users_[port];
    if (users.size() == 0) continue;
    PortSharing sharing{port, static_cast<std::uint32_t>(users.size()), 0, 0, 0};
    Sweep(
        users, spans_, &active,
        [&](std::uint32_t, const std::vector<std::uint32_t>& others) {
          sharing.pairs += others.size();
          sharing.most_at_once =
              std::max(sharing.most_at_once, static_cast<std::uint32_t>(others.size() + 1));
        },
        [&](std::int64_t from, std::int64_t until, const std::vector<std::uint32_t>&) {
          sharing.shared_ps += until - from;
        });
    ports_.push_back(sharing);
  }
}

void CollisionAnalysis::ForEachPeriod(const std::vector<HopIndex>& ports,
                                      const VisitPeriod& visit) const {
  ActiveFlows active(spans_.size());
  for (const HopIndex port : ports) {
    Sweep(
        users_[port], spans_, &active, [](std::uint32_t, const std::vector<std::uint32_t>&) {},
        [&](std::int64_t from, std::int64_t until, const std::vector<std::uint32_t>& flows) {
          visit({port, from, until}, flows);
        });
  }
}

std::vector<HopIndex> CollisionAnalysis::SharedPorts() const {
  std::vector<HopIndex> shared;
  for (const PortSharing& sharing : ports_) {
    if (sharing.pairs > 0) shared.push_back(sharing.port);
  }
  return shared;
}

std::vector<PortPair> CollisionAnalysis::Pairs(std::size_t limit) const {
  std::vector<PortPair> pairs;
  ActiveFlows active(spans_.size());
  for (const PortSharing& sharing : ports_) {
    if (pairs.size() >= limit) break;
    if (sharing.pairs == 0) continue;
    const auto meet = [&](std::uint32_t flow, const std::vector<std::uint32_t>& met) {
      if (pairs.size() >= limit) return;
      std::vector<std::uint32_t> others = met;
      std::sort(others.begin(), others.end());
      for (const std::uint32_t other : others) {
        if (pairs.size() >= limit) return;
        pairs.push_back({sharing.port, std::min(flow, other), std::max(flow, other),
                         spans_[flow].from, std::min(spans_[flow].until, spans_[other].until)});
      }
    };
    Sweep(users_[sharing.port], spans_, &active, meet,
          [](std::int64_t, std::int64_t, const std::vector<std::uint32_t>&) {});
  }
  return pairs;
}

}  // namespace heddle
