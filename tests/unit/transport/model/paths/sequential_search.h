// SPDX-License-Identifier: GPL-2.0-only
/// The search of the ECMP controller's specification, port after port: the oracle of PathSearch.
///
/// For speed, it caches the paths of source ports, and evaluates each path once a request.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "topology/paths/path_tracer.h"
#include "transport/model/paths/link_shares.h"
#include "transport/model/paths/path_search.h"

namespace heddle::testing {

class SequentialSearch {
 public:
  /// All arguments must outlive it.
  SequentialSearch(const Graph& graph, const Routes& routes, const HopNumbers& numbers)
      : graph_(graph), routes_(routes), numbers_(numbers) {}

  bool FindFree(const LinkShares& shares, NodeId source, NodeId destination,
                std::uint16_t destination_port, SearchedPath* path) {
    Begin(source, destination, destination_port);
    for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort && Trace(port);
         ++port) {
      if (WorstUse(shares, port) > LinkShares::kFull) continue;
      *path = At(port);
      path->candidates = port;
      return true;
    }
    path->candidates = PathSearch::kLastPort;
    return false;
  }

  bool FindLeastLoaded(const LinkShares& shares, NodeId source, NodeId destination,
                       std::uint16_t destination_port, SearchedPath* path) {
    Begin(source, destination, destination_port);
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t port = PathSearch::kFirstPort; port <= PathSearch::kLastPort && Trace(port);
         ++port) {
      const std::uint64_t worst = WorstUse(shares, port);
      if (worst >= least) continue;
      least = worst;
      *path = At(port);
    }
    path->candidates = PathSearch::kLastPort;
    return least != std::numeric_limits<std::uint64_t>::max();
  }

  bool Trace(NodeId source, NodeId destination, std::uint32_t port, std::uint16_t destination_port,
             SearchedPath* path) {
    Begin(source, destination, destination_port);
    if (!Trace(port)) return false;
    *path = At(port);
    return true;
  }

 private:
  static constexpr std::uint32_t kUnknown = 0;
  using Path = std::pair<std::int64_t, std::vector<HopIndex>>;  ///< demand and hops
  struct Pair {
    NodeId source, destination;
    std::uint16_t destination_port = 0;
    std::map<Path, std::uint32_t> numbers;                ///< numbers of the paths, from 1
    std::vector<const Path*> paths{nullptr};              ///< by number
    std::vector<std::uint32_t> path_of;                   ///< by source port
    std::vector<std::optional<std::uint64_t>> worst_use;  ///< by path number, for this request
  };

  void Begin(NodeId source, NodeId destination, std::uint16_t destination_port) {
    pair_ = &pairs_[std::make_tuple(source.value, destination.value, destination_port)];
    pair_->source = source;
    pair_->destination = destination;
    pair_->destination_port = destination_port;
    pair_->path_of.resize(std::uint32_t{PathSearch::kLastPort} + 1, kUnknown);
    pair_->worst_use.assign(pair_->paths.size(), std::nullopt);
  }
  /// False if there is no way.
  bool Trace(std::uint32_t port) {
    if (pair_->path_of[port] != kUnknown) return true;
    std::vector<Hop> hops;
    try {
      hops = TracePath(graph_, routes_, pair_->source, pair_->destination,
                       static_cast<std::uint16_t>(port), pair_->destination_port);
    } catch (const UserError&) {
      return false;
    }
    Path path;
    path.first = graph_.link(graph_.ports(pair_->source)[hops.front().port.value].link).rate.bps;
    for (auto hop = hops.begin() + 1; hop != hops.end(); ++hop)
      path.second.push_back(numbers_.Of(hop->node, hop->port));
    const auto [found, is_new] =
        pair_->numbers.emplace(std::move(path), static_cast<std::uint32_t>(pair_->paths.size()));
    if (is_new) {
      pair_->paths.push_back(&found->first);
      pair_->worst_use.push_back(std::nullopt);
    }
    pair_->path_of[port] = found->second;
    return true;
  }
  /// Worst use of all hops but the last. A flow fits exactly if this is at most kFull
  /// (link_shares_test.cc).
  std::uint64_t WorstUse(const LinkShares& shares, std::uint32_t port) {
    std::optional<std::uint64_t>& worst = pair_->worst_use[pair_->path_of[port]];
    if (worst) return *worst;
    const Path& path = *pair_->paths[pair_->path_of[port]];
    worst = 0;
    for (std::size_t i = 0; i + 1 < path.second.size(); ++i) {
      worst = std::max(*worst, shares.UseWith(path.second[i], BitRate{path.first}));
    }
    return *worst;
  }
  SearchedPath At(std::uint32_t port) const {
    const Path& path = *pair_->paths[pair_->path_of[port]];
    SearchedPath result;
    result.source_port = static_cast<std::uint16_t>(port);
    result.demand = BitRate{path.first};
    result.hops = path.second;
    return result;
  }

  const Graph& graph_;
  const Routes& routes_;
  const HopNumbers& numbers_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>, Pair> pairs_;
  Pair* pair_ = nullptr;  ///< the current pair
};

}  // namespace heddle::testing
