// SPDX-License-Identifier: GPL-2.0-only
#include "topology/routes/path_tracer.h"

#include "core/base/check.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {

std::vector<Hop> TracePath(const Graph& graph, const Routes& routes, NodeId source,
                           NodeId destination, std::uint16_t source_port,
                           std::uint16_t destination_port) {
  const FlowKey key = MakeFlowKey(source, destination, source_port, destination_port);
  std::vector<Hop> path;
  std::vector<PortId> ports;
  for (NodeId node = source; node != destination;) {
    routes.NextHops(node, destination, &ports);
    if (ports.empty()) {
      throw UserError("no way from " + Describe(graph, source) + " to " +
                      Describe(graph, destination) + ". Expected: a connected fabric");
    }
    const std::uint32_t seed = graph.is_gpu(node) ? kNicHashSeed : node.value;
    const PortId port = ports[EcmpHash(key, seed) % ports.size()];
    path.push_back({node, port});
    node = graph.ports(node)[port.value].peer;
  }
  return path;
}

std::vector<NodeId> NodesEntered(const Graph& graph, const std::vector<Hop>& path) {
  std::vector<NodeId> nodes;
  nodes.reserve(path.size());
  for (const Hop& hop : path) {
    nodes.push_back(graph.ports(hop.node)[hop.port.value].peer);
  }
  return nodes;
}

}  // namespace heddle
