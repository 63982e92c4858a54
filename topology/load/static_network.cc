// SPDX-License-Identifier: GPL-2.0-only
#include "topology/load/static_network.h"

#include <algorithm>

#include "core/base/memory_account.h"
#include "topology/graph/link_tiers.h"

namespace heddle {

std::uint32_t StaticNetwork::AddNode(const std::string& name, bool is_host) {
  const std::uint32_t number = node_count();
  nodes_.push_back({name, {}, kNone});
  if (is_host) hosts_.push_back(number);
  return number;
}

std::uint32_t StaticNetwork::AddCable(const Cable& cable) {
  cables_.push_back(cable);
  return cable_count() - 1;
}

void StaticNetwork::Route(std::uint32_t node, std::uint32_t host, std::uint32_t cable) {
  Node& at = nodes_[node];
  if (at.table.empty()) at.table.assign(hosts_.size(), kNone);
  if (at.table[host] == kNone && at.rest == kNone) at.table[host] = cable;
}

void StaticNetwork::RouteRest(std::uint32_t node, std::uint32_t cable) {
  if (nodes_[node].rest == kNone) nodes_[node].rest = cable;
}

WalkEnd StaticNetwork::Walk(std::uint32_t source, std::uint32_t destination,
                            std::vector<std::uint32_t>* cables) const {
  cables->clear();
  const std::uint32_t end = hosts_[destination];
  for (std::uint32_t node = hosts_[source]; node != end;) {
    const std::uint32_t cable = Next(node, destination);
    if (cable == kNone) return WalkEnd::kNoRoute;
    if (cables->size() >= nodes_.size()) {  // by a table, who comes back once comes back for ever
      cables->clear();
      return WalkEnd::kLoop;
    }
    cables->push_back(cable);
    node = cables_[cable].to;
  }
  return WalkEnd::kArrived;
}

std::vector<std::uint8_t> StaticNetwork::NodeLevels() const {
  std::vector<std::vector<std::uint32_t>> neighbours(nodes_.size());
  for (const Cable& cable : cables_) {
    neighbours[cable.from].push_back(cable.to);
    neighbours[cable.to].push_back(cable.from);
  }
  constexpr std::uint32_t kUnknown = ~0U;
  std::vector<std::uint32_t> distance(nodes_.size(), kUnknown), open = hosts_;
  for (const std::uint32_t host : hosts_) distance[host] = 0;
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    most = distance[open[i]];
    for (const std::uint32_t next : neighbours[open[i]]) {
      if (distance[next] != kUnknown) continue;
      distance[next] = most + 1;
      open.push_back(next);
    }
  }
  std::vector<std::uint8_t> levels;
  for (const std::uint32_t d : distance)
    levels.push_back(
        static_cast<std::uint8_t>(std::min(d == kUnknown ? most + 1 : d, LinkTiers::kMostLevel)));
  return levels;
}

std::size_t StaticNetwork::memory() const {
  std::size_t sum = MemoryOf(nodes_) + MemoryOf(hosts_) + MemoryOf(cables_);
  for (const Node& node : nodes_) sum += MemoryOf(node.table) + node.name.capacity();
  return sum;
}

}  // namespace heddle
