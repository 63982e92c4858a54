// SPDX-License-Identifier: GPL-2.0-only
/// A search tries, in this order:
/// 1. the pair's first known path (known_paths.h), which usually fits;
/// 2. all equal-cost paths at once (equal_cost_paths.h): if none has room, no source port can help;
/// 3. the pair's other known paths;
/// 4. further source ports: each is traced to its end, and remembered if its path is a new one.
/// Only step 4 computes hashes, and it traces each source port of a pair once, however often
/// searches fail. It ends at the first port whose path fits. It goes through all ports only if
/// paths have room but no source port leads onto them.
#include "transport/model/paths/path_search.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/check.h"
#include "topology/routes/ecmp_hash.h"
#include "transport/model/paths/equal_cost_paths.h"
#include "transport/model/paths/known_paths.h"
#include "transport/model/paths/next_hop_table.h"

namespace heddle {

bool HasChoiceOfPath(const Graph& graph, const Routes& routes, NodeId source, NodeId destination) {
  if (!graph.InTwoServers(source, destination)) return false;
  constexpr std::uint32_t kLinksOverTwoSwitches = 3;
  const std::uint32_t links = routes.Hops(source, destination);
  return links != Routes::kUnreachable && links >= kLinksOverTwoSwitches;
}

class PathSearch::Memo {
 public:
  Memo(const Graph& graph, const Routes& routes, const HopNumbers& numbers,
       const LinkShares& shares, std::size_t limit)
      : graph_(graph),
        routes_(&routes),
        numbers_(numbers),
        shares_(shares),
        limit_(limit),
        table_(graph, routes, numbers) {}

  void UseRoutes(const Routes& routes) {
    routes_ = &routes;
    known_.Forget();
    table_.UseRoutes(routes);
  }
  /// Selects a pair for the following calls.
  void Turn(NodeId source, NodeId destination, std::uint16_t destination_port);
  /// Finds the switches that its NICs lead to. False if there is no path.
  bool Enter();
  /// Whether the pair's paths pass more than one switch; otherwise there are no further nodes to
  /// search.
  bool entered() const { return !entrances_.empty(); }

  /// Step 1.
  template <class Allowed>
  bool FirstKnown(const Allowed& allowed, SearchedPath* path) {
    return paths_ != nullptr && allowed((*paths_)[0]) && Answer(0, path);
  }
  /// Step 2.
  bool HasRoom() { return ways_.HasRoom(entrances_, cls_); }
  std::uint64_t LeastWorstUse() { return ways_.LeastWorstUse(entrances_, cls_); }
  /// Steps 3 and 4. False if no source port leads onto an allowed path; then all paths of the pair
  /// are known.
  template <class Allowed>
  bool LowestPort(const Allowed& allowed, SearchedPath* path);

  bool Trace(std::uint16_t source_port, SearchedPath* path);
  bool Fits(const KnownPath& path) const {
    const BitRate demand = rates_[path.rate_index()];
    return std::all_of(path.begin(), path.end_counted(),
                       [&](HopIndex hop) { return shares_.Fits(hop, demand); });
  }
  std::uint64_t WorstUse(const KnownPath& path) const {
    std::uint64_t worst = 0;
    for (const HopIndex* hop = path.begin(); hop != path.end_counted(); ++hop) {
      worst = std::max(worst, shares_.UseWith(*hop, rates_[path.rate_index()]));
    }
    return worst;
  }
  const KnownPaths& paths() const { return *paths_; }
  /// Fills in known path number i.
  bool Answer(std::uint32_t i, SearchedPath* path);
  std::uint64_t traced() const { return traced_; }

 private:
  std::uint32_t RateIndex(BitRate rate);
  /// Index among the `count` NICs of the selected pair's source.
  std::size_t ChooseNic(std::uint16_t source_port, std::size_t count) const {
    return ChooseNicPort(routes_->nic_ports(), graph_.gpus_per_server(),
                         {source_, destination_, source_port, destination_port_}, count);
  }
  KnownPath TraceCounted(std::uint16_t source_port);
  HopIndex TraceLast(std::uint16_t source_port);

  const Graph& graph_;
  const Routes* routes_;
  const HopNumbers& numbers_;
  const LinkShares& shares_;
  const std::size_t limit_;
  NextHopTable table_;
  EqualCostPaths ways_{&table_, shares_};
  KnownPathsOfPairs known_;
  std::vector<BitRate> rates_;  ///< rates of NICs
  std::uint64_t traced_ = 0;

  // The selected pair.
  NodeId source_, destination_;
  std::uint16_t destination_port_ = 0;
  std::uint32_t cls_ = 0;
  KnownPaths* paths_ = nullptr;
  std::vector<Entrance> entrances_;
  PathSet path_set_;
  /// The path being traced.
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(KnownPath::kHops + 1);
  CoreIndex last_core_ = 0;  ///< last core node of the path being traced
  std::vector<PortId> ports_;
};

void PathSearch::Memo::Turn(NodeId source, NodeId destination, std::uint16_t destination_port) {
  HEDDLE_EXPECT(graph_.is_gpu(source) && graph_.is_gpu(destination) && source != destination);
  if (known_.bytes() + table_.bytes() > limit_) {
    known_.Forget();
    table_.Forget();
  }
  source_ = source;
  destination_ = destination;
  destination_port_ = destination_port;
  entrances_.clear();
  paths_ = known_.Find(source, destination, destination_port);
}

bool PathSearch::Memo::Enter() {
  entrances_.clear();
  cls_ = routes_->class_of(destination_);
  routes_->NextHops(source_, destination_, &ports_);
  for (const PortId port : ports_) {
    const Attachment& nic = graph_.ports(source_)[port.value];
    if (!routes_->is_core(nic.peer)) {
      entrances_.clear();
      return true;
    }
    const BitRate rate = graph_.link(nic.link).rate;
    entrances_.push_back({table_.IndexOf(nic.peer), RateIndex(rate), rate});
  }
  return !ports_.empty();
}

std::uint32_t PathSearch::Memo::RateIndex(BitRate rate) {
  const auto found = std::find(rates_.begin(), rates_.end(), rate);
  const auto index = static_cast<std::uint32_t>(found - rates_.begin());
  if (found == rates_.end()) rates_.push_back(rate);
  return index;
}

/// Traces all hops but the last.
KnownPath PathSearch::Memo::TraceCounted(std::uint16_t source_port) {
  const FlowKey key = MakeFlowKey(source_, destination_, source_port, destination_port_);
  const std::size_t nics = entrances_.size();
  const Entrance& entrance = entrances_[nics == 1 ? 0 : ChooseNic(source_port, nics)];
  CoreIndex core = entrance.core;
  std::uint32_t size = 0;
  for (auto range = table_.Of(core, cls_); !range.empty(); range = table_.Of(core, cls_)) {
    const NextHop& next =
        table_[range.first + EcmpHash(key, table_.NodeOf(core).value) % range.size()];
    if (words_.size() < KnownPath::kHops + size + 2) words_.resize(KnownPath::kHops + size + 2);
    words_[KnownPath::kHops + size++] = next.hop;
    core = next.to;
  }
  words_[KnownPath::kPort] = source_port;
  words_[KnownPath::kRate] = entrance.rate_index;
  words_[KnownPath::kHops + size] = KnownPath::kNotAsked;
  last_core_ = core;
  return {words_.data(), size + 1};
}

/// Traces the last hop; parallel cables may lead to the destination.
HopIndex PathSearch::Memo::TraceLast(std::uint16_t source_port) {
  if (!entered()) Enter();  // a step 1 answer skips Enter()
  TraceCounted(source_port);
  const NodeId node = table_.NodeOf(last_core_);
  routes_->NextHops(node, destination_, &ports_);
  const FlowKey key = MakeFlowKey(source_, destination_, source_port, destination_port_);
  return numbers_.Of(node, ports_[EcmpHash(key, node.value) % ports_.size()]);
}

bool PathSearch::Memo::Answer(std::uint32_t i, SearchedPath* path) {
  if ((*paths_)[i].last() == KnownPath::kNotAsked)
    paths_->SetLast(i, TraceLast((*paths_)[i].source_port()));
  const KnownPath known = (*paths_)[i];
  path->source_port = known.source_port();
  path->candidates = known.source_port();
  path->demand = rates_[known.rate_index()];
  path->hops.assign(known.begin(), known.end());
  return true;
}

template <class Allowed>
bool PathSearch::Memo::LowestPort(const Allowed& allowed, SearchedPath* path) {
  if (paths_ == nullptr)
    paths_ = &known_.Add(source_, destination_, destination_port_, TraceCounted(kFirstPort).size);
  for (std::uint32_t i = 0; i < paths_->count(); ++i) {
    if (allowed((*paths_)[i])) return Answer(i, path);
  }
  if (paths_->next_port > kLastPort) return false;
  const std::size_t bytes = paths_->bytes();
  bool found = false;
  path_set_.Begin(*paths_);
  while (!found && paths_->next_port <= kLastPort) {
    const KnownPath traced = TraceCounted(static_cast<std::uint16_t>(paths_->next_port++));
    ++traced_;
    if (!path_set_.Insert(*paths_, traced)) continue;
    paths_->Add(traced.words);
    found = allowed(traced);
  }
  known_.CountGrowth(paths_->bytes() - bytes);
  return found && Answer(paths_->count() - 1, path);
}

bool PathSearch::Memo::Trace(std::uint16_t source_port, SearchedPath* path) {
  ++traced_;
  const FlowKey key = MakeFlowKey(source_, destination_, source_port, destination_port_);
  path->source_port = source_port;
  path->candidates = 0;
  path->hops.clear();
  for (NodeId node = source_; node != destination_;) {
    routes_->NextHops(node, destination_, &ports_);
    if (ports_.empty()) return false;
    const PortId port = ports_[graph_.is_gpu(node) ? ChooseNic(source_port, ports_.size())
                                                   : EcmpHash(key, node.value) % ports_.size()];
    const Attachment& next = graph_.ports(node)[port.value];
    if (node == source_) {
      path->demand = graph_.link(next.link).rate;
    } else {
      path->hops.push_back(numbers_.Of(node, port));
    }
    node = next.peer;
  }
  return true;
}

PathSearch::PathSearch(const Graph& graph, const Routes& routes, const HopNumbers& numbers,
                       const LinkShares& shares, std::size_t memo_bytes)
    : memo_(std::make_unique<Memo>(graph, routes, numbers, shares, memo_bytes)) {}
PathSearch::~PathSearch() = default;

void PathSearch::UseRoutes(const Routes& routes) { memo_->UseRoutes(routes); }
std::uint64_t PathSearch::traced() const { return memo_->traced(); }

bool PathSearch::FindFree(NodeId source, NodeId destination, std::uint16_t destination_port,
                          SearchedPath* path) {
  const auto fits = [this](const KnownPath& known) { return memo_->Fits(known); };
  memo_->Turn(source, destination, destination_port);
  if (memo_->FirstKnown(fits, path)) return true;
  bool found = memo_->Enter();
  if (found && !memo_->entered()) {
    memo_->Trace(kFirstPort, path);
    path->candidates = kFirstPort;
    return true;
  }
  found = found && memo_->HasRoom() && memo_->LowestPort(fits, path);
  if (!found) path->candidates = kLastPort;
  return found;
}

bool PathSearch::FindLeastLoaded(NodeId source, NodeId destination, std::uint16_t destination_port,
                                 SearchedPath* path) {
  memo_->Turn(source, destination, destination_port);
  bool found = memo_->Enter();
  if (found && !memo_->entered()) {
    memo_->Trace(kFirstPort, path);
  } else if (found) {
    const std::uint64_t least = memo_->LeastWorstUse();
    const auto is_least = [&](const KnownPath& known) { return memo_->WorstUse(known) <= least; };
    if (!memo_->LowestPort(is_least, path)) {
      // No source port leads onto the best path, and LowestPort() has traced all of them.
      const KnownPaths& known = memo_->paths();
      std::uint32_t best = 0;
      for (std::uint32_t i = 1; i < known.count(); ++i) {
        if (memo_->WorstUse(known[i]) < memo_->WorstUse(known[best])) best = i;
      }
      memo_->Answer(best, path);
    }
  }
  path->candidates = kLastPort;
  return found;
}

bool PathSearch::Trace(NodeId source, NodeId destination, std::uint16_t source_port,
                       std::uint16_t destination_port, SearchedPath* path) {
  memo_->Turn(source, destination, destination_port);
  return memo_->Trace(source_port, path);
}

}  // namespace heddle
