// SPDX-License-Identifier: GPL-2.0-only
/// Delay, serialisation and bandwidth between two GPUs, from which SimAI derives windows and ideal
/// times.
///
/// SimAI measures along the first path that a breadth-first search from the destination finds,
/// visiting neighbours in descending node id. Packets may take another path (in DCN+ two GPUs of a
/// server are measured over their leaf, whose id is above the NVSwitch's). Metrics: delay = sum of
/// the links' delays; serialisation = sum over the links of floor(payload * 8e9 / rate) ns; rtt = 2
/// * delay + serialisation; bdp = floor(rtt * rate / 8e9). Among parallel cables between two nodes
/// the one listed last counts, as in SimAI.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Metrics of one path; `bandwidth` is its slowest link's rate, 0 if there is no path.
struct PairMetrics {
  Time delay;
  Time serialisation;
  BitRate bandwidth;

  /// Whether there is a path; without one all members are 0.
  bool reachable() const { return bandwidth.bps > 0; }
  /// Returns the base round trip: propagation in both directions, serialisation of data only.
  Time rtt() const { return delay * 2 + serialisation; }
  /// Returns the bandwidth-delay product, from the rtt in whole nanoseconds, rounded down.
  Bytes bdp() const;
};

/// Returns the bytes on the wire for a message: its own bytes and 52 of headers for every packet.
Bytes WireBytes(Bytes size, Bytes payload);

/// Returns SimAI's ideal completion time (column 8 of fct.txt): rtt + floor(WireBytes * 8e9 /
/// bandwidth) ns. Not a lower bound. Requires metrics.reachable().
Time IdealCompletionTime(const PairMetrics& metrics, Bytes size, Bytes payload);

/// Metrics for all pairs of GPUs, stored by class of destination. The graph must outlive it.
///
/// Where each GPU has one link to the fabric, classes at twin switches (switches with the same
/// links to the same others, such as the leaves of a pod) share one search: swapping two twins maps
/// one search to the other.
class PathMetrics {
 public:
  /// Searches the paths of all classes. `payload`: of a full packet (PACKET_PAYLOAD_SIZE), 1 B to 1
  /// MB; throws UserError otherwise.
  PathMetrics(const Graph& graph, Bytes payload);

  /// Returns the metrics of a pair, in constant time for a GPU with few links. One of the two nodes
  /// may be an NVSwitch linked to the other (NVLS); any other pair with an NVSwitch is unreachable.
  PairMetrics Pair(NodeId source, NodeId destination) const;

  /// Returns the maximum over all ordered pairs of GPUs; 0 if no pair is connected.
  Time max_rtt() const { return max_rtt_; }
  /// Returns the largest bdp() of these pairs, which need not be that of the largest rtt.
  Bytes max_bdp() const { return max_bdp_; }
  /// Returns the bytes that it has allocated.
  std::size_t memory() const {
    return MemoryOf(edges_) + MemoryOf(core_index_) + MemoryOf(class_of_) + MemoryOf(sample_) +
           MemoryOf(rows_) + MemoryOf(reached_);
  }

 private:
  /// A neighbour, with the metrics of its link.
  struct Edge {
    NodeId peer;
    PairMetrics metrics;
  };
  /// A core node in the search of a class: when the search reached it, and over which path.
  struct Reached {
    std::uint32_t order = kNever;
    std::uint32_t hops = 0;
    PairMetrics metrics;
  };
  static constexpr std::uint32_t kNever = 0xFFFFFFFFu;
  /// Where the search of a class is: the row of class `searched`, in which the switches `own`, the
  /// class's, and `twin`, that one's, have changed places.
  struct Row {
    std::uint32_t number = 0, searched = 0;
    NodeId own, twin;  ///< equal if the class was searched from itself
  };

  /// Fills edges_, and numbers the core nodes: what is neither a GPU nor a local NVSwitch.
  void CollectEdges();
  /// Puts GPUs with equal links to core nodes (peer, rate, delay) into one class.
  void FindClasses();
  /// Gives each class a row of reached_: its own, or that of a class at a twin switch.
  void FindRows();
  /// Fills a row of reached_ by a breadth-first search in SimAI's order from a class of that row.
  void SearchFrom(const Row& row);
  /// Returns a GPU's only link to the fabric; null if it has none, several, or one to a GPU.
  const Edge* OnlyLink(NodeId gpu) const;
  /// Sets max_rtt_ and max_bdp_ from few pairs that stand for all.
  void FindMaxima();
  /// Raises the maxima to this pair's. Ignores equal ends and unreachable pairs.
  void Consider(NodeId source, NodeId destination);
  /// Considers one pair for all pairs of two classes that are not near: they have equal metrics.
  /// Returns whether there is one.
  bool ConsiderFarPair(const std::vector<NodeId>& sources, const std::vector<NodeId>& destinations);
  /// Considers pairs of GPUs that are cabled to each other, or share a local NVSwitch, one by one.
  /// `stands`: by GPU, whether it is one of Representatives().
  void ConsiderNearPairs(NodeId node, const std::vector<bool>& stands);
  /// Returns two GPUs, by class, of each group that differs in no link, local NVSwitches and cabled
  /// GPUs included: they have equal metrics.
  std::vector<std::vector<NodeId>> Representatives() const;

  /// Whether searches pass through `node`.
  bool is_core(NodeId node) const { return core_index_[node.value] != kNever; }
  /// Whether the two have a cable, or a local NVSwitch that both are linked to.
  bool IsNear(NodeId source, NodeId destination) const;
  /// Returns the cable that counts between the two, the one listed last; null if there is none.
  const Edge* FindEdge(NodeId node, NodeId peer) const;
  /// Returns what the search from class `cls` found at a core node; order kNever if nothing.
  const Reached& reached(std::uint32_t cls, NodeId core) const {
    const Row& row = rows_[cls];
    if (core == row.own) {
      core = row.twin;
    } else if (core == row.twin) {
      core = row.own;
    }
    return reached_[std::size_t{row.number} * core_count_ + core_index_[core.value]];
  }

  const Graph* graph_;
  Bytes payload_;
  std::vector<std::vector<Edge>> edges_;  // by node, in descending order of peers, one edge a peer
  std::vector<std::uint32_t> core_index_;
  std::uint32_t core_count_ = 0;
  std::vector<std::uint32_t> class_of_;  // by GPU: equal core links, rates and delays
  std::vector<NodeId> sample_;           // a GPU of each class
  std::vector<Row> rows_;                // by class
  std::vector<Reached> reached_;         // by row, then core node
  Time max_rtt_{0};
  Bytes max_bdp_{0};
};

}  // namespace heddle
