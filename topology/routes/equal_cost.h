// SPDX-License-Identifier: GPL-2.0-only
/// Equal-cost shortest routes by hop count, stored by class of destinations.
///
/// GPUs with the same neighbours form a class. NVSwitches that are linked to GPUs only ("local"
/// ones) are ignored, so a class spans servers. Distances are stored for each class and core node
/// (a switch, or an NVSwitch that is not local): O(classes x switches), not O(GPUs x nodes). If the
/// policy lets GPUs transit, every node is a core node.
///
/// Rules, as in SimAI: GPUs never transit (EqualCost); if an NVSwitch is among the equal-cost next
/// hops, only NVSwitches remain; next hops are listed in descending node id, parallel cables in
/// ascending port. An NVSwitch is a source or destination for its neighbours only.
///
/// When links go down, only affected classes are recomputed. Derived routes share the unchanged
/// data, so that a long list of failures needs little memory.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routes/route_table.h"
#include "topology/routes/routing_policy.h"

namespace heddle {

/// SimAI's routing: shortest paths, all ports of equal cost; GPUs never transit.
class EqualCost final : public RoutingPolicy {
 public:
  bool gpus_transit() const override { return false; }
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override;
};

/// The graph's policy; equal cost if it has none.
const RoutingPolicy& RoutingOf(const Graph& graph);

class EqualCostTable final : public RouteTable {
 public:
  /// Shortest paths over the nodes that the policy lets forward. `graph` and `policy` must outlive
  /// it.
  EqualCostTable(const Graph& graph, const RoutingPolicy& policy);

  std::uint32_t class_count() const override {
    return static_cast<std::uint32_t>(classes_->members.size());
  }
  std::uint32_t class_of(NodeId gpu) const override { return classes_->class_of[gpu.value]; }
  const std::vector<NodeId>& members(std::uint32_t cls) const override {
    return classes_->members[cls];
  }
  bool is_core(NodeId node) const override { return wiring_->core_index[node.value] != kNotCore; }
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override;
  void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                       std::vector<PortId>* out) const override;
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override;
  std::uint32_t Hops(NodeId from, NodeId to) const override;
  std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                             RouteChange* change) const override;
  std::size_t memory() const override;

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

  /// Constant data: the cables, and which nodes forward.
  struct Wiring {
    std::vector<std::uint32_t> offset;  // by node: index of its first neighbour in `neighbours`
    std::vector<Neighbour> neighbours;
    std::vector<NodeId> core;
    std::vector<std::uint32_t> core_index;  // by node
  };
  struct Classes {
    std::vector<std::uint32_t> class_of;  // by GPU
    std::vector<std::vector<NodeId>> members;
    // Includes classes that became empty.
    std::map<std::vector<std::uint32_t>, std::uint32_t> by_key;
  };
  using Distances = std::vector<Distance>;  // by core node
  /// How far a change of links affects a class' routes.
  enum class Effect { kNone, kNextHops, kDistances };

  EqualCostTable(const EqualCostTable&) = default;  ///< starting point of WithDown()

  static std::shared_ptr<const Wiring> MakeWiring(const Graph& graph, bool gpus_transit);
  void FindClasses();
  /// The key of a class: the usable neighbours of its GPUs.
  void KeyOf(NodeId gpu, std::vector<std::uint32_t>* key) const;
  /// Searches the distances of one class; all kFar if it has no GPU.
  std::shared_ptr<const Distances> ComputeClass(std::uint32_t cls) const;

  void Rewire(const std::vector<NodeId>& nodes);
  std::vector<std::uint32_t> MoveGpus(RouteChange* change);
  Effect EffectOn(std::uint32_t cls, const std::vector<LinkId>& core_links) const;
  bool HasNextHop(std::uint32_t cls, NodeId core) const;

  /// All neighbours over links that are up, in descending id, then ascending port.
  Range neighbours(NodeId node) const {
    if (!rewired_.empty()) {
      const auto found = rewired_.find(node);
      if (found != rewired_.end()) {
        const std::vector<Neighbour>& own = *found->second;
        return {own.data(), own.data() + own.size()};
      }
    }
    return AllNeighbours(*wiring_, node);
  }
  static Range AllNeighbours(const Wiring& wiring, NodeId node) {
    const Neighbour* all = wiring.neighbours.data();
    return {all + wiring.offset[node.value], all + wiring.offset[node.value + 1]};
  }
  Range LinksTo(NodeId node, NodeId peer) const;
  /// Neighbours are in descending id: after this one only GPUs follow, which do not forward.
  bool only_ends_follow(NodeId node) const { return graph_->is_gpu(node) && !is_core(node); }
  bool is_local(NodeId node) const {
    return !is_core(node) && graph_->kind(node) == NodeKind::kNvSwitch;
  }
  Distance distance(std::uint32_t cls, NodeId core) const {
    return (*distances_[cls])[wiring_->core_index[core.value]];
  }
  std::uint32_t HopsOver(const Neighbour& next, NodeId gpu) const;
  void PortsToPeer(NodeId node, NodeId peer, std::vector<PortId>* out) const;
  void KeepNvSwitches(NodeId node, std::vector<PortId>* out) const;

  const Graph* graph_;
  std::shared_ptr<const Wiring> wiring_;
  std::shared_ptr<const Classes> classes_;
  std::vector<std::shared_ptr<const Distances>> distances_;  // by class
  // Neighbours of the nodes with a link down.
  std::map<NodeId, std::shared_ptr<const std::vector<Neighbour>>> rewired_;
};

}  // namespace heddle
