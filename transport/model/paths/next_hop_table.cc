// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/paths/next_hop_table.h"

#include <algorithm>

namespace heddle {

NextHopTable::NextHopTable(const Graph& graph, const Routes& routes, const HopNumbers& numbers)
    : graph_(graph), routes_(&routes), numbers_(numbers), index_of_(graph.node_count(), 0) {
  for (std::uint32_t i = 0; i < graph.node_count(); ++i) {
    if (!routes.is_core(NodeId(i))) continue;
    index_of_[i] = core_count();
    nodes_.push_back(NodeId(i));
  }
  Forget();
}

void NextHopTable::UseRoutes(const Routes& routes) {
  routes_ = &routes;
  Forget();
}

void NextHopTable::Forget() {
  lists_of_.assign(routes_->class_count(), {});
  latest_list_.assign(core_count(), kUnknown);
  lists_.assign(1, Range{});
  next_hops_.clear();
}

NextHopTable::Range NextHopTable::Fill(CoreIndex core, std::uint32_t cls) {
  const NodeId node = nodes_[core];
  routes_->NextHopsToClass(node, cls, &ports_);
  if (lists_of_[cls].empty()) lists_of_[cls].assign(core_count(), kUnknown);
  std::uint32_t& row = lists_of_[cls][core];

  const Range latest = lists_[latest_list_[core]];
  const auto same = [&](PortId port, const NextHop& next) {
    return numbers_.Of(node, port) == next.hop;
  };
  if (latest_list_[core] != kUnknown && latest.size() == ports_.size() &&
      std::equal(ports_.begin(), ports_.end(), next_hops_.begin() + latest.first, same)) {
    row = latest_list_[core];
    return latest;
  }
  Range range;
  range.first = static_cast<std::uint32_t>(next_hops_.size());
  for (const PortId port : ports_) {
    next_hops_.push_back(
        {numbers_.Of(node, port), index_of_[graph_.ports(node)[port.value].peer.value]});
  }
  range.last = static_cast<std::uint32_t>(next_hops_.size());
  row = latest_list_[core] = static_cast<std::uint32_t>(lists_.size());
  lists_.push_back(range);
  return range;
}

}  // namespace heddle
