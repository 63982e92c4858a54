// SPDX-License-Identifier: GPL-2.0-only
#include "transport/domain/state/fabric_context.h"

namespace heddle {

SharedBuffer MakeBuffer(const FabricContext& context, NodeId node, const std::string& who) {
  const Graph& graph = *context.graph;
  std::vector<SharedBuffer::PortLimits> limits;
  for (const Attachment& port : graph.ports(node)) {
    limits.push_back({graph.link(port.link).rate, graph.link(port.link).delay});
  }
  BufferOptions options = context.options.buffer;
  if (graph.kind(node) == NodeKind::kSwitch && context.options.pfc.enabled) {
    options.packet = context.options.payload + context.header_bytes;
  }
  options.lossless = graph.kind(node) == NodeKind::kNvSwitch && context.options.nvlink.lossless;
  return SharedBuffer(options, limits, context.nic_rate, who);
}

}  // namespace heddle
