// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/path_tracer.h"

#include <algorithm>

#include "core/base/check.h"
#include "topology/graph/node_names.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {

bool FollowFlow(const Graph& graph, const Routes& routes, const NicFlow& flow,
                std::vector<Hop>* path) {
  const FlowKey key = MakeFlowKey(flow.from, flow.to, flow.source_port, flow.destination_port);
  path->clear();
  std::vector<PortId> ports;
  for (NodeId node = flow.from; node != flow.to;) {
    routes.NextHops(node, flow.to, &ports);
    if (ports.empty()) return false;
    const std::size_t index =
        graph.is_gpu(node)
            ? ChooseNicPort(routes.nic_ports(), graph.gpus_per_server(), flow, ports.size())
            : EcmpHash(key, node.value) % ports.size();
    const PortId port = ports[index];
    path->push_back({node, port});
    node = graph.ports(node)[port.value].peer;
  }
  return true;
}

std::vector<Hop> TracePath(const Graph& graph, const Routes& routes, NodeId source,
                           NodeId destination, std::uint16_t source_port,
                           std::uint16_t destination_port) {
  std::vector<Hop> path;
  if (!FollowFlow(graph, routes, {source, destination, source_port, destination_port}, &path)) {
    throw UserError(DescribeNoPath(graph, routes, source, destination) +
                    ". Expected: a connected fabric");
  }
  return path;
}

NodeId FindRailMate(const Graph& graph, const Routes& routes, NodeId source, NodeId destination) {
  if (!graph.is_gpu(source) || !graph.is_gpu(destination)) return {};
  const std::uint32_t first = source.value - graph.PlaceInServer(source);
  for (std::uint32_t gpu = first; gpu < graph.gpu_count(); ++gpu) {
    const NodeId mate(gpu);
    if (!graph.SameServer(mate, source)) break;
    if (mate == source || mate == destination) continue;
    if (routes.Hops(source, mate) != Routes::kUnreachable &&
        routes.Hops(mate, destination) != Routes::kUnreachable)
      return mate;
  }
  return {};
}

std::string DescribeNoPath(const Graph& graph, const Routes& routes, NodeId source,
                           NodeId destination) {
  const NodeNames names(graph);
  const std::string text = "no way from " + names.Of(source) + " to " + names.Of(destination);
  const NodeId mate = FindRailMate(graph, routes, source, destination);
  if (!mate.valid()) return text;
  return text + ", but by NVLink to " + names.Of(mate) +
         " and on from there (the fabric is rail-only)";
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
