// SPDX-License-Identifier: GPL-2.0-only
#include "transport/path_search.h"

#include <algorithm>

#include "core/check.h"
#include "topology/ecmp_hash.h"

namespace heddle {

bool HasChoiceOfPath(const Graph& graph, const Routes& routes, NodeId source, NodeId destination) {
  if (!graph.is_gpu(source) || !graph.is_gpu(destination)) return false;
  const std::uint32_t gpus_per_server = graph.gpus_per_server();
  if (source.value / gpus_per_server == destination.value / gpus_per_server) return false;
  constexpr std::uint32_t kLinksOverTwoSwitches = 3;
  const std::uint32_t links = routes.Hops(source, destination);
  return links != Routes::kUnreachable && links >= kLinksOverTwoSwitches;
}

class PathSearch::Memo {
 public:
  Memo(const Graph& graph, const Routes& routes, const HopNumbers& numbers, const LinkShares& shares)
      : graph(graph), routes(&routes), numbers(numbers), shares(shares) {}

  bool Trace(NodeId source, NodeId destination, std::uint16_t source_port, std::uint16_t destination_port,
             SearchedPath* path) {
    const FlowKey key = MakeFlowKey(source, destination, source_port, destination_port);
    path->source_port = source_port;
    path->candidates = 0;
    path->hops.clear();
    for (NodeId node = source; node != destination;) {
      routes->NextHops(node, destination, &ports);
      if (ports.empty()) return false;
      const PortId port = ports[EcmpHash(key, graph.is_gpu(node) ? kNicHashSeed : node.value) % ports.size()];
      const Attachment& next = graph.ports(node)[port.value];
      if (node == source) {
        path->demand = graph.link(next.link).rate;
      } else {
        path->hops.push_back(numbers.Of(node, port));
      }
      node = next.peer;
    }
    return true;
  }

  const Graph& graph;
  const Routes* routes;
  const HopNumbers& numbers;
  const LinkShares& shares;
  std::vector<PortId> ports;
};

PathSearch::PathSearch(const Graph& graph, const Routes& routes, const HopNumbers& numbers, const LinkShares& shares)
    : memo_(std::make_unique<Memo>(graph, routes, numbers, shares)) {}
PathSearch::~PathSearch() = default;

void PathSearch::UseRoutes(const Routes& routes) { memo_->routes = &routes; }

bool PathSearch::FindFree(NodeId source, NodeId destination, std::uint16_t destination_port, SearchedPath* path) {
  for (std::uint32_t port = kFirstPort; port <= kLastPort; ++port) {
    if (!Trace(source, destination, static_cast<std::uint16_t>(port), destination_port, path)) break;
    const auto fits = [&](HopIndex hop) { return memo_->shares.Fits(hop, path->demand); };
    if (path->hops.empty() || std::all_of(path->hops.begin(), path->hops.end() - 1, fits)) {
      path->candidates = port;
      return true;
    }
  }
  path->candidates = kLastPort;
  return false;
}

bool PathSearch::FindLeastLoaded(NodeId source, NodeId destination, std::uint16_t destination_port, SearchedPath* path) {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint16_t best = 0;
  for (std::uint32_t port = kFirstPort; port <= kLastPort; ++port) {
    if (!Trace(source, destination, static_cast<std::uint16_t>(port), destination_port, path)) break;
    std::uint64_t worst = 0;
    for (std::size_t i = 0; i + 1 < path->hops.size(); ++i) {
      worst = std::max(worst, memo_->shares.UseWith(path->hops[i], path->demand));
    }
    if (worst < least) {
      least = worst;
      best = static_cast<std::uint16_t>(port);
    }
  }
  const bool found = best != 0 && Trace(source, destination, best, destination_port, path);
  path->candidates = kLastPort;
  return found;
}

bool PathSearch::Trace(NodeId source, NodeId destination, std::uint16_t source_port, std::uint16_t destination_port,
                       SearchedPath* path) {
  return memo_->Trace(source, destination, source_port, destination_port, path);
}

}  // namespace heddle
