// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "topology/graph/nodes_by_name.h"

namespace heddle {
namespace {

using What = FailureEvent::What;

bool IsOfNode(const FailureEvent& event) {
  return event.what == What::kNodeDown || event.what == What::kNodeUp;
}

void CheckNode(const Graph& graph, const FailureEvent& event, NodeId node) {
  if (node.value >= graph.node_count()) {
    FailInput(event.where, fmt::format("node {}", static_cast<std::int64_t>(node.value)),
              fmt::format("a node of the topology, 0 to {}", graph.node_count() - 1));
  }
}

/// Finds the links of an event, ascending.
std::vector<LinkId> LinksOf(const Graph& graph, const FailureEvent& event) {
  std::vector<LinkId> links;
  for (const Attachment& port : graph.ports(event.a)) {
    if (IsOfNode(event) || port.peer == event.b) links.push_back(port.link);
  }
  if (IsOfNode(event)) return links;
  if (links.empty()) {
    FailInput(event.where,
              fmt::format("no link between {} and {}", Describe(graph, event.a),
                          Describe(graph, event.b)),
              "two nodes that the topology links");
  }
  if (event.cable == FailureEvent::kAllCables) return links;
  if (event.cable >= links.size()) {
    FailInput(event.where, fmt::format("cable {}", event.cable),
              fmt::format("one of the {} cables between {} and {}, 0 to {}", links.size(),
                          Describe(graph, event.a), Describe(graph, event.b), links.size() - 1));
  }
  return {links[event.cable]};
}

void Check(const Graph& graph, const FailureEvent& event) {
  CheckNode(graph, event, event.a);
  if (!IsOfNode(event)) CheckNode(graph, event, event.b);
  if (event.time < Time{0}) {
    FailInput(event.where, fmt::format("time {}", ToText(event.time)), "zero or more");
  }
  if (event.what == What::kLinkRate && event.rate.bps <= 0) {
    FailInput(event.where, fmt::format("a rate of {} bps", event.rate.bps), "above 0");
  }
}

/// The state of all links as time advances.
class LinkStates {
 public:
  explicit LinkStates(const Graph& graph)
      : graph_(graph), link_down_(graph.links().size()), node_down_(graph.node_count()) {
    told_.reserve(graph.links().size());
    for (const Link& link : graph.links()) told_.push_back({true, link.rate});
    rate_.reserve(told_.size());
    for (const Told& told : told_) rate_.push_back(told.rate);
  }

  void Apply(const FailureEvent& event) {
    if (IsOfNode(event)) node_down_[event.a.value] = event.what == What::kNodeDown;
    for (const LinkId link : LinksOf(graph_, event)) {
      touched_.push_back(link);
      if (event.what == What::kLinkRate) rate_[link.value] = event.rate;
      if (event.what == What::kLinkDown) link_down_[link.value] = true;
      if (event.what == What::kLinkUp) link_down_[link.value] = false;
    }
  }

  /// Appends the changes since the last call.
  void Tell(Time time, std::vector<LinkEvent>* changes) {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const LinkId link : touched_) {
      const Told now{IsUp(link), rate_[link.value]};
      Told& told = told_[link.value];
      if (now.up != told.up) {
        const auto kind = now.up ? LinkEvent::Kind::kUp : LinkEvent::Kind::kDown;
        changes->push_back({time, link, kind, {}});
      }
      if (now.rate != told.rate) {
        changes->push_back({time, link, LinkEvent::Kind::kRate, now.rate});
      }
      told = now;
    }
    touched_.clear();
  }

 private:
  struct Told {
    bool up;
    BitRate rate;
  };
  bool IsUp(LinkId id) const {
    const Link& link = graph_.link(id);
    return !link_down_[id.value] && !node_down_[link.a.value] && !node_down_[link.b.value];
  }

  const Graph& graph_;
  std::vector<bool> link_down_;
  std::vector<bool> node_down_;
  std::vector<BitRate> rate_;    // by link
  std::vector<Told> told_;       // by link
  std::vector<LinkId> touched_;  // since the last Tell()
};

}  // namespace

void FindNamedNodes(const Graph& graph, std::vector<FailureEvent>* events) {
  std::optional<NodesByName> nodes;
  const auto find = [&](const FailureEvent& event, std::string* name, NodeId* node) {
    if (name->empty()) return;
    if (!nodes) nodes.emplace(graph);
    *node = nodes->Get(*name, event.where);
    name->clear();
  };
  for (FailureEvent& event : *events) {
    find(event, &event.a_name, &event.a);
    find(event, &event.b_name, &event.b);
  }
}

std::vector<LinkEvent> ExpandFailures(const Graph& graph, std::vector<FailureEvent> events) {
  std::vector<LinkEvent> changes;
  if (events.empty()) return changes;
  for (const FailureEvent& event : events) Check(graph, event);
  std::stable_sort(events.begin(), events.end(),
                   [](const FailureEvent& a, const FailureEvent& b) { return a.time < b.time; });
  LinkStates states(graph);
  for (std::size_t i = 0; i < events.size(); ++i) {
    states.Apply(events[i]);
    const bool is_last_at_its_time = i + 1 == events.size() || events[i + 1].time != events[i].time;
    if (is_last_at_its_time) states.Tell(events[i].time, &changes);
  }
  return changes;
}

std::vector<bool> LinksDownAt(const std::vector<LinkEvent>& events, std::size_t links, Time time) {
  std::vector<bool> down;
  for (const LinkEvent& event : events) {
    if (event.time > time || event.kind == LinkEvent::Kind::kRate) continue;
    if (down.empty()) down.resize(links);
    down[event.link.value] = event.kind == LinkEvent::Kind::kDown;
  }
  return down;
}

}  // namespace heddle
