// SPDX-License-Identifier: GPL-2.0-only
#include "topology/tables/forwarding_tables.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace heddle {

ForwardingTables::ForwardingTables(const Graph& graph)
    : gpus_(graph.gpu_count()), rows_(graph.node_count() - graph.gpu_count()) {
  if (gpus_ > kMaxGpus)
    throw UserError(fmt::format("forwarding tables: {} GPUs. Expected: up to {}", gpus_, kMaxGpus));
  for (std::uint32_t i = gpus_; i < graph.node_count(); ++i) {
    const std::size_t ports = graph.ports(NodeId(i)).size();
    if (ports > kNone)
      throw UserError(fmt::format("forwarding tables: {} has {} ports. Expected: up to {}",
                                  Describe(graph, NodeId(i)), ports, kNone));
  }
}

void ForwardingTables::Set(NodeId node, NodeId gpu, PortId port) {
  std::vector<std::uint16_t>& row = rows_[node.value - gpus_];
  if (row.empty()) row.assign(gpus_, kNone);
  row[gpu.value] = static_cast<std::uint16_t>(port.value);
}

void ForwardingTables::VisitRuns(const std::function<void(const TableRun&)>& visit) const {
  for (std::uint32_t node = gpus_; node < nodes(); ++node) {
    for (std::uint32_t first = 0; first < gpus_;) {
      const std::uint16_t port = At(NodeId(node), NodeId(first));
      std::uint32_t end = first + 1;
      while (end < gpus_ && At(NodeId(node), NodeId(end)) == port) ++end;
      if (port != kNone) visit({NodeId(node), first, end - 1, PortId(port)});
      first = end;
    }
  }
}

bool ForwardingTables::SetRun(const TableRun& run) {
  for (std::uint32_t gpu = run.first; gpu <= run.last; ++gpu) {
    if (At(run.node, NodeId(gpu)) != kNone) return false;
    Set(run.node, NodeId(gpu), run.port);
  }
  return true;
}

}  // namespace heddle
