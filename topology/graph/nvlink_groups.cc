// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/nvlink_groups.h"

#include <deque>

namespace heddle {

std::vector<std::uint32_t> NvLinkGroups(const Graph& graph) {
  constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> group(graph.node_count(), kNone);
  for (std::uint32_t gpu = 0; gpu < graph.gpu_count(); ++gpu) {
    if (group[gpu] != kNone) continue;
    group[gpu] = gpu;
    std::deque<NodeId> reached = {NodeId(gpu)};
    while (!reached.empty()) {
      const NodeId node = reached.front();
      reached.pop_front();
      for (const Attachment& port : graph.ports(node)) {
        const bool nvlink =
            graph.kind(node) == NodeKind::kNvSwitch || graph.kind(port.peer) == NodeKind::kNvSwitch;
        if (!nvlink || graph.kind(port.peer) == NodeKind::kSwitch ||
            group[port.peer.value] != kNone)
          continue;
        group[port.peer.value] = gpu;
        reached.push_back(port.peer);
      }
    }
  }
  group.resize(graph.gpu_count());
  return group;
}

}  // namespace heddle
