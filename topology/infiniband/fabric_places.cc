// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/fabric_places.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

std::uint64_t Key(InfinibandEnd place) { return std::uint64_t{place.node} << 8 | place.port; }

}  // namespace

FabricPlaces::FabricPlaces(const InfinibandNetwork& network,
                           const std::vector<const InfinibandCable*>& cables)
    : network_(network) {
  AddHosts(cables);
  if (hosts_ == 0) {
    throw UserError(network_.file +
                    ": no host. Expected: a CA with a cable to a switch, and with a LID if there "
                    "are forwarding tables");
  }
  AddSwitches();
  for (std::uint32_t i = 0; i < places_.size(); ++i) ids_.emplace(Key(places_[i]), NodeId(i));
}

void FabricPlaces::AddHosts(const std::vector<const InfinibandCable*>& cables) {
  using Order = std::tuple<bool, std::uint64_t, std::uint8_t>;
  std::vector<std::pair<Order, InfinibandEnd>> hosts;
  const auto add = [&](InfinibandEnd end, InfinibandEnd peer) {
    if (IsSwitch(end)) return;
    const InfinibandEnd by = IsSwitch(peer) ? peer : end;
    hosts.push_back({{!IsSwitch(peer), network_.nodes[by.node].guid, by.port}, end});
  };
  for (const InfinibandCable* cable : cables) {
    add(cable->a, cable->b);
    add(cable->b, cable->a);
  }
  std::sort(hosts.begin(), hosts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& host : hosts) places_.push_back(host.second);
  hosts_ = static_cast<std::uint32_t>(places_.size());
}

void FabricPlaces::AddSwitches() {
  for (std::uint32_t i = 0; i < network_.nodes.size(); ++i) {
    if (network_.nodes[i].kind == InfinibandKind::kSwitch) places_.push_back({i, 0});
  }
  std::sort(places_.begin() + hosts_, places_.end(), [&](InfinibandEnd a, InfinibandEnd b) {
    return network_.nodes[a.node].guid < network_.nodes[b.node].guid;
  });
}

NodeId FabricPlaces::IdOf(InfinibandEnd end) const {
  const auto at = ids_.find(Key({end.node, IsSwitch(end) ? std::uint8_t{0} : end.port}));
  return at == ids_.end() ? NodeId() : at->second;
}

}  // namespace heddle
