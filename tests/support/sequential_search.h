// SPDX-License-Identifier: GPL-2.0-only
/// The second seed's search, port after port: the oracle of PathSearch, for tests and benches.
///
/// It remembers where a port leads, so that thousands of requests can be checked, and nothing else.
#ifndef HEDDLE_TESTS_SUPPORT_SEQUENTIAL_SEARCH_H_
#define HEDDLE_TESTS_SUPPORT_SEQUENTIAL_SEARCH_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "core/check.h"
#include "topology/path_tracer.h"
#include "transport/link_shares.h"
#include "transport/path_search.h"

namespace heddle::testing {

class SequentialSearch {
 public:
  SequentialSearch(const Graph& graph, const Routes& routes, const HopNumbers& numbers, const LinkShares& shares)
      : graph_(graph), routes_(&routes), numbers_(numbers), shares_(shares) {}

  void UseRoutes(const Routes& routes) {
    routes_ = &routes;
    traced_.clear();
  }

  bool FindFree(NodeId source, NodeId destination, std::uint16_t destination_port, SearchedPath* path) {
    for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort; ++port) {
      const SearchedPath* there = Trace(source, destination, port, destination_port);
      if (there == nullptr) break;
      if (std::all_of(there->hops.begin(), EndCounted(*there), [&](HopIndex hop) { return shares_.Fits(hop, there->demand); })) {
        *path = *there;
        path->candidates = port;
        return true;
      }
    }
    path->candidates = PathSearch::kLastPort;
    return false;
  }

  bool FindLeastLoaded(NodeId source, NodeId destination, std::uint16_t destination_port, SearchedPath* path) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort; ++port) {
      const SearchedPath* there = Trace(source, destination, port, destination_port);
      if (there == nullptr) return false;
      std::uint64_t worst = 0;
      for (auto hop = there->hops.begin(); hop != EndCounted(*there); ++hop) {
        worst = std::max(worst, shares_.UseWith(*hop, there->demand));
      }
      if (worst >= least) continue;
      least = worst;
      *path = *there;
    }
    path->candidates = PathSearch::kLastPort;
    return true;
  }

  /// Null if there is no way.
  const SearchedPath* Trace(NodeId source, NodeId destination, std::uint32_t port, std::uint16_t destination_port) {
    std::vector<SearchedPath>& of_pair = traced_[std::make_tuple(source.value, destination.value, destination_port)];
    if (of_pair.size() <= port) of_pair.resize(port + 1);
    SearchedPath& path = of_pair[port];
    if (path.source_port != 0) return &path;
    std::vector<Hop> hops;
    try {
      hops = TracePath(graph_, *routes_, source, destination, static_cast<std::uint16_t>(port), destination_port);
    } catch (const UserError&) {
      return nullptr;
    }
    path.source_port = static_cast<std::uint16_t>(port);
    path.demand = graph_.link(graph_.ports(source)[hops.front().port.value].link).rate;
    for (auto hop = hops.begin() + 1; hop != hops.end(); ++hop) path.hops.push_back(numbers_.Of(hop->node, hop->port));
    return &path;
  }

 private:
  static std::vector<HopIndex>::const_iterator EndCounted(const SearchedPath& path) {
    return path.hops.empty() ? path.hops.end() : path.hops.end() - 1;
  }

  const Graph& graph_;
  const Routes* routes_;
  const HopNumbers& numbers_;
  const LinkShares& shares_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, std::vector<SearchedPath>> traced_;  ///< by pair, then port
};

}  // namespace heddle::testing

#endif  // HEDDLE_TESTS_SUPPORT_SEQUENTIAL_SEARCH_H_
