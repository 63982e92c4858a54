// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/tiers.h"

#include <algorithm>

namespace heddle {

std::vector<std::uint32_t> FindTiers(const Graph& graph) {
  if (!graph.declared_tiers().of_node.empty()) return graph.declared_tiers().of_node;
  constexpr std::uint32_t kUnseen = 0xFFFFFFFFu;
  const std::uint32_t nodes = graph.node_count();
  std::vector<std::uint32_t> distance(nodes, kUnseen);
  std::vector<NodeId> queue;
  for (std::uint32_t i = 0; i < graph.gpu_count(); ++i) {
    distance[i] = 0;
    queue.push_back(NodeId(i));
  }
  std::uint32_t farthest = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t here = distance[queue[head].value];
    farthest = std::max(farthest, here);
    for (const Attachment& port : graph.ports(queue[head])) {
      if (distance[port.peer.value] == kUnseen) {
        distance[port.peer.value] = here + 1;
        queue.push_back(port.peer);
      }
    }
  }
  std::vector<std::uint32_t> tiers(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const NodeKind kind = graph.kind(NodeId(i));
    const std::uint32_t hops = distance[i] == kUnseen ? farthest + 1 : distance[i];
    tiers[i] = kind == NodeKind::kGpu        ? kGpuTier
               : kind == NodeKind::kNvSwitch ? kNvSwitchTier
                                             : kLeafTier + hops - 1;
  }
  return tiers;
}

std::string TierName(const Graph& graph, std::uint32_t tier) {
  const std::vector<std::string>& declared = graph.declared_tiers().names;
  return declared.empty() ? TierName(tier) : declared.at(tier);
}

std::string TierName(std::uint32_t tier) {
  static const char* const kNames[] = {"GPU", "NVSwitch", "leaf", "spine"};
  return tier < 4 ? kNames[tier] : "tier " + std::to_string(tier - kLeafTier + 1);
}

}  // namespace heddle
