// SPDX-License-Identifier: GPL-2.0-only
/// Equal-cost shortest routes by hop count, stored by class of destinations.
///
/// GPUs with the same neighbours form a class; only NVSwitches that are linked to nothing but GPUs
/// ("local" ones) do not count, so a class spans servers. Distances are kept a class and core node
/// (a switch, or an NVSwitch that is not local): O(classes x switches), not O(GPUs x nodes).
///
/// Rules, as in SimAI: GPUs never transit; where an NVSwitch is among the equal-cost next hops,
/// only NVSwitches stay; next hops are listed in descending node id, parallel cables in ascending
/// port. An NVSwitch is a destination only for its neighbours.
#ifndef HEDDLE_TOPOLOGY_ROUTES_H_
#define HEDDLE_TOPOLOGY_ROUTES_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "core/ids.h"
#include "topology/graph.h"

namespace heddle {

/// Routes over a graph, which must outlive them.
class Routes {
 public:
  /// A number of hops that means there is no way.
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  /// Routes with every link up.
  explicit Routes(const Graph& graph);

  std::uint32_t class_count() const { return static_cast<std::uint32_t>(members_.size()); }
  std::uint32_t class_of(NodeId gpu) const { return class_of_[gpu.value]; }
  /// The GPUs of a class, ascending. Classes are ordered by their first GPU.
  const std::vector<NodeId>& members(std::uint32_t cls) const { return members_[cls]; }
  /// Whether `node` forwards between others: a switch, or an NVSwitch that is not local.
  bool is_core(NodeId node) const { return core_index_[node.value] != kNotCore; }

  /// The ports of `node` on shortest ways to `destination` (a GPU, or an NVSwitch next to `node`);
  /// empty if there is no way. `node` != `destination`. Replaces *out.
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const;

  /// The same from a core node for all GPUs of a class at once; empty where the ports differ by
  /// GPU, that is if `core_node` is linked to them, and if there is no way. Replaces *out.
  void NextHopsToClass(NodeId core_node, std::uint32_t cls, std::vector<PortId>* out) const;

  /// Links from a core node to the GPUs of a class, or kUnreachable.
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const;

  /// Links crossed from one GPU to another, 0 to itself, or kUnreachable.
  std::uint32_t Hops(NodeId from_gpu, NodeId to_gpu) const;

 private:
  using Distance = std::uint16_t;
  static constexpr Distance kFar = std::numeric_limits<Distance>::max();
  static constexpr std::uint32_t kNotCore = std::numeric_limits<std::uint32_t>::max();

  /// A neighbour of a node, and the port that leads to it.
  struct Neighbour {
    NodeId peer;
    PortId port;
  };
  struct Range {
    const Neighbour* first;
    const Neighbour* last;
    const Neighbour* begin() const { return first; }
    const Neighbour* end() const { return last; }
    bool empty() const { return first == last; }
  };

  void SortNeighbours();
  void FindCore();
  void FindClasses();
  /// Distances of one class from scratch.
  void ComputeClass(std::uint32_t cls);

  /// All neighbours, in descending id, then ascending port.
  Range neighbours(NodeId node) const {
    return {&neighbours_[offset_[node.value]], &neighbours_[offset_[node.value + 1]]};
  }
  Range LinksTo(NodeId node, NodeId peer) const;
  bool is_local(NodeId node) const {
    return !is_core(node) && graph_->kind(node) == NodeKind::kNvSwitch;
  }
  Distance distance(std::uint32_t cls, NodeId core) const {
    return distance_[std::size_t{cls} * core_.size() + core_index_[core.value]];
  }
  std::uint32_t HopsOver(const Neighbour& next, NodeId gpu) const;
  void PortsToPeer(NodeId node, NodeId peer, std::vector<PortId>* out) const;
  void KeepNvSwitches(NodeId node, std::vector<PortId>* out) const;

  const Graph* graph_;
  std::vector<std::uint32_t> offset_;  // of a node's neighbours in neighbours_
  std::vector<Neighbour> neighbours_;
  std::vector<NodeId> core_;
  std::vector<std::uint32_t> core_index_;  // by node
  std::vector<std::uint32_t> class_of_;    // by GPU
  std::vector<std::vector<NodeId>> members_;
  std::vector<Distance> distance_;  // by class, then core node
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_ROUTES_H_
