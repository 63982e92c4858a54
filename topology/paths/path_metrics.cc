// SPDX-License-Identifier: GPL-2.0-only
#include "topology/paths/path_metrics.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "topology/routes/equal_cost.h"

namespace heddle {
namespace {

constexpr std::int64_t kHeaderBytes = 52;  // PPP 14, IPv4 20, UDP 8, sequence number and class 10
constexpr std::int64_t kNanosecondBits = 8'000'000'000;  // one byte at 1 bps, in ns
constexpr std::int64_t kLargestPayload = 1'000'000;      // limit of TransmissionTime

PairMetrics Join(const PairMetrics& near, const PairMetrics& far) {
  return {near.delay + far.delay, near.serialisation + far.serialisation,
          std::min(near.bandwidth, far.bandwidth)};
}

}  // namespace

Bytes PairMetrics::bdp() const {
  const __int128 product = static_cast<__int128>(rtt().ps / 1000) * bandwidth.bps;
  return {static_cast<std::int64_t>(product / kNanosecondBits)};
}

Bytes WireBytes(Bytes size, Bytes payload) {
  return {size.count + (size.count + payload.count - 1) / payload.count * kHeaderBytes};
}

Time IdealCompletionTime(const PairMetrics& metrics, Bytes size, Bytes payload) {
  const __int128 bits = static_cast<__int128>(WireBytes(size, payload).count) * kNanosecondBits;
  return metrics.rtt() + NanoSeconds(static_cast<std::int64_t>(bits / metrics.bandwidth.bps));
}

PathMetrics::PathMetrics(const Graph& graph, Bytes payload) : graph_(&graph), payload_(payload) {
  if (payload.count < 1 || payload.count > kLargestPayload) {
    throw UserError("packet payload of " + std::to_string(payload.count) +
                    " bytes. Expected: 1 to 1000000");
  }
  if (graph.scale_up() != nullptr && !graph.scale_up()->dimensions.empty()) {
    // These are metrics of Ethernet's paths, for windows. Nothing here has one.
    edges_.resize(graph.node_count());
    core_index_.assign(graph.node_count(), kNever);
    return;
  }
  CollectEdges();
  FindClasses();
  FindRows();
  FindMaxima();
}

void PathMetrics::CollectEdges() {
  edges_.resize(graph_->node_count());
  core_index_.assign(graph_->node_count(), kNever);
  const bool gpus_transit = RoutingOf(*graph_).gpus_transit();
  for (std::uint32_t i = 0; i < graph_->node_count(); ++i) {
    auto& edges = edges_[i];
    const auto& ports = graph_->ports(NodeId(i));
    edges.reserve(ports.size());
    for (const Attachment& port : ports) {
      const Link& link = graph_->link(port.link);
      const Time serialisation = NanoSeconds(payload_.count * kNanosecondBits / link.rate.bps);
      edges.push_back({port.peer, {link.delay, serialisation, link.rate}});
    }
    // Among edges to the same peer, the one listed last must come first, as only the first is kept.
    std::reverse(edges.begin(), edges.end());
    std::stable_sort(edges.begin(), edges.end(),
                     [](const Edge& a, const Edge& b) { return b.peer < a.peer; });
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [](const Edge& a, const Edge& b) { return a.peer == b.peer; }),
                edges.end());
    const NodeKind kind = graph_->kind(NodeId(i));
    const bool local_nvswitch =
        kind == NodeKind::kNvSwitch && (edges.empty() || graph_->is_gpu(edges.front().peer));
    if (gpus_transit || (kind != NodeKind::kGpu && !local_nvswitch)) {
      core_index_[i] = core_count_++;
    }
  }
}

void PathMetrics::FindClasses() {
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  std::vector<std::int64_t> key;
  for (std::uint32_t i = 0; i < graph_->gpu_count(); ++i) {
    key.clear();
    for (const Edge& edge : edges_[i]) {
      if (is_core(edge.peer)) {
        key.insert(key.end(), {edge.peer.value, edge.metrics.bandwidth.bps, edge.metrics.delay.ps});
      }
    }
    const auto [found, is_new] = known.emplace(key, static_cast<std::uint32_t>(sample_.size()));
    if (is_new) {
      sample_.push_back(NodeId(i));
    }
    class_of_.push_back(found->second);
  }
}

void PathMetrics::FindRows() {
  // The one link of a class to the fabric, and all links of the switch there: equal for twins.
  std::map<std::vector<std::int64_t>, std::uint32_t> known;
  std::vector<std::int64_t> key;
  std::uint32_t rows = 0;
  for (std::uint32_t cls = 0; cls < sample_.size(); ++cls) {
    const Edge* link = OnlyLink(sample_[cls]);
    Row row{rows, cls, {}, {}};
    if (link != nullptr) {
      key = {link->metrics.bandwidth.bps, link->metrics.delay.ps};
      for (const Edge& edge : edges_[link->peer.value]) {
        if (is_core(edge.peer))
          key.insert(key.end(),
                     {edge.peer.value, edge.metrics.bandwidth.bps, edge.metrics.delay.ps});
      }
      const auto [found, is_new] = known.emplace(key, cls);
      if (!is_new) {
        row = rows_[found->second];
        row.own = link->peer;
        row.twin = OnlyLink(sample_[found->second])->peer;
      }
    }
    if (row.number == rows) ++rows;
    rows_.push_back(row);
  }
  reached_.resize(std::size_t{rows} * core_count_);
  for (std::uint32_t cls = 0; cls < sample_.size(); ++cls) {
    if (rows_[cls].searched == cls) SearchFrom(rows_[cls]);
  }
}

const PathMetrics::Edge* PathMetrics::OnlyLink(NodeId gpu) const {
  const Edge* only = nullptr;
  for (const Edge& edge : edges_[gpu.value]) {
    if (!is_core(edge.peer)) continue;
    if (only != nullptr || graph_->is_gpu(edge.peer)) return nullptr;
    only = &edge;
  }
  return only;
}

void PathMetrics::SearchFrom(const Row& row) {
  Reached* table = reached_.data() + std::size_t{row.number} * core_count_;
  std::vector<NodeId> queue;
  queue.reserve(core_count_);
  const auto visit = [&](const Edge& edge, std::uint32_t hops, const PairMetrics& metrics) {
    Reached& entry = table[core_index_[edge.peer.value]];
    if (entry.order == kNever) {
      entry = {static_cast<std::uint32_t>(queue.size()), hops, metrics};
      queue.push_back(edge.peer);
    }
  };
  for (const Edge& edge : edges_[sample_[row.searched].value]) {
    if (is_core(edge.peer)) {
      visit(edge, 1, edge.metrics);
    }
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const Reached from = table[core_index_[queue[head].value]];
    for (const Edge& edge : edges_[queue[head].value]) {
      if (graph_->is_gpu(edge.peer) && !is_core(edge.peer)) break;  // only GPUs follow
      if (is_core(edge.peer) && table[core_index_[edge.peer.value]].order == kNever) {
        visit(edge, from.hops + 1, Join(from.metrics, edge.metrics));
      }
    }
  }
}

const PathMetrics::Edge* PathMetrics::FindEdge(NodeId node, NodeId peer) const {
  const auto& edges = edges_[node.value];
  const auto found = std::lower_bound(edges.begin(), edges.end(), peer,
                                      [](const Edge& e, NodeId id) { return id < e.peer; });
  return found != edges.end() && found->peer == peer ? &*found : nullptr;
}

PairMetrics PathMetrics::Pair(NodeId source, NodeId destination) const {
  HEDDLE_EXPECT(source != destination);
  if (const Edge* direct = FindEdge(source, destination)) {
    return direct->metrics;
  }
  if (!graph_->is_gpu(source) || !graph_->is_gpu(destination)) {
    return {};
  }
  const std::uint32_t cls = class_of_[destination.value];
  // The search reaches a GPU from the neighbour that it visited first: fewest hops, then queue
  // order, which one hop from the destination is the order of edges_ (descending id).
  const Edge* best = nullptr;
  std::pair<std::uint32_t, std::uint32_t> best_rank(kNever, kNever);
  PairMetrics rest;
  std::uint32_t index = 0;
  for (const Edge& edge : edges_[source.value]) {
    ++index;
    std::pair<std::uint32_t, std::uint32_t> rank(kNever, kNever);
    PairMetrics metrics;
    if (is_core(edge.peer)) {
      const Reached& entry = reached(cls, edge.peer);
      rank = {entry.order == kNever ? kNever : entry.hops, entry.hops == 1 ? index : entry.order};
      metrics = entry.metrics;
    } else if (!graph_->is_gpu(edge.peer)) {
      if (const Edge* shared = FindEdge(destination, edge.peer)) {
        rank = {1, index};
        metrics = shared->metrics;
      }
    }
    if (rank < best_rank && rank.first != kNever) {
      best_rank = rank;
      best = &edge;
      rest = metrics;
    }
  }
  return best == nullptr ? PairMetrics{} : Join(best->metrics, rest);
}

bool PathMetrics::IsNear(NodeId source, NodeId destination) const {
  if (FindEdge(source, destination) != nullptr) {
    return true;
  }
  const auto& edges = edges_[source.value];
  return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    return !is_core(edge.peer) && !graph_->is_gpu(edge.peer) &&
           FindEdge(destination, edge.peer) != nullptr;
  });
}

void PathMetrics::Consider(NodeId source, NodeId destination) {
  if (source == destination) {
    return;
  }
  const PairMetrics metrics = Pair(source, destination);
  if (metrics.reachable()) {
    max_rtt_ = std::max(max_rtt_, metrics.rtt());
    max_bdp_ = std::max(max_bdp_, metrics.bdp());
  }
}

/// GPUs that differ in no link, local NVSwitches and cabled GPUs included, have equal metrics: two
/// of each such group represent all. By class.
std::vector<std::vector<NodeId>> PathMetrics::Representatives() const {
  std::map<std::vector<std::int64_t>, int> count;
  std::vector<std::vector<NodeId>> by_class(sample_.size());
  std::vector<std::int64_t> key;
  for (std::uint32_t i = 0; i < graph_->gpu_count(); ++i) {
    key.assign(1, class_of_[i]);
    for (const Edge& edge : edges_[i]) {
      if (!is_core(edge.peer)) {
        key.insert(key.end(), {edge.peer.value, edge.metrics.bandwidth.bps, edge.metrics.delay.ps});
      }
    }
    if (++count[key] <= 2) {
      by_class[class_of_[i]].push_back(NodeId(i));
    }
  }
  return by_class;
}

void PathMetrics::FindMaxima() {
  const auto groups = Representatives();
  std::vector<bool> stands(graph_->gpu_count(), false);
  for (const auto& group : groups) {
    for (const NodeId gpu : group) {
      stands[gpu.value] = true;
    }
  }
  for (std::uint32_t i = 0; i < graph_->node_count(); ++i) {
    ConsiderNearPairs(NodeId(i), stands);
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_row;  // classes
  for (std::uint32_t cls = 0; cls < rows_.size(); ++cls) of_row[rows_[cls].number].push_back(cls);
  for (const auto& [source_row, sources] : of_row) {
    for (const auto& [destination_row, destinations] : of_row) {
      // Twins have equal metrics, to themselves and to each other: one pair of classes of each
      // kind.
      bool same = false, other = false;
      for (const std::uint32_t source : sources) {
        for (const std::uint32_t destination : destinations) {
          bool& known = source == destination ? same : other;
          known = known || ConsiderFarPair(groups[source], groups[destination]);
        }
        if (other && (same || source_row != destination_row)) break;
      }
    }
  }
}

/// Considers pairs of GPUs that are cabled to each other or share a local NVSwitch, one by one.
void PathMetrics::ConsiderNearPairs(NodeId node, const std::vector<bool>& stands) {
  if (is_core(node) && !graph_->is_gpu(node)) {
    return;
  }
  std::vector<NodeId> gpus;
  for (const Edge& edge : edges_[node.value]) {
    if (graph_->is_gpu(node) && graph_->is_gpu(edge.peer)) {
      Consider(node, edge.peer);
    } else if (!graph_->is_gpu(node) && stands[edge.peer.value]) {
      gpus.push_back(edge.peer);
    }
  }
  for (const NodeId source : gpus) {
    for (const NodeId destination : gpus) {
      Consider(source, destination);
    }
  }
}

/// Considers one pair for all pairs of two classes that are not near: they have equal metrics.
bool PathMetrics::ConsiderFarPair(const std::vector<NodeId>& sources,
                                  const std::vector<NodeId>& destinations) {
  for (const NodeId source : sources) {
    for (const NodeId destination : destinations) {
      if (source != destination && !IsNear(source, destination)) {
        Consider(source, destination);
        return true;
      }
    }
  }
  return false;
}

}  // namespace heddle
