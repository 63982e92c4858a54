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
  /// Returns false, as in SimAI.
  bool gpus_transit() const override { return false; }
  /// Makes an EqualCostTable.
  std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const override;
};

/// Returns the graph's policy; equal cost if it has none.
const RoutingPolicy& RoutingOf(const Graph& graph);

class EqualCostTable final : public RouteTable {
 public:
  /// Finds shortest paths over the nodes that the policy lets forward. `graph` and `policy` must
  /// outlive it.
  EqualCostTable(const Graph& graph, const RoutingPolicy& policy);

  /// Counts empty classes too: a failure may have moved all GPUs of a class.
  std::uint32_t class_count() const override {
    return static_cast<std::uint32_t>(classes_->members.size());
  }
  /// Takes constant time; the class changes only by WithDown().
  std::uint32_t class_of(NodeId gpu) const override { return classes_->class_of[gpu.value]; }
  /// Returns the GPUs ascending; none if failures have moved all to other classes.
  const std::vector<NodeId>& members(std::uint32_t cls) const override {
    return classes_->members[cls];
  }
  /// Whether `node` is a switch or an NVSwitch that is not local; with transit, any node.
  bool is_core(NodeId node) const override { return wiring_->core_index[node.value] != kNotCore; }
  /// Lists ports as SimAI orders them (see above). Requires `destination` not to be a switch.
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const override;
  /// Lists no ports at distance 1, where every GPU has a port of its own.
  void NextHopsToClass(NodeId core_node, std::uint32_t cls,
                       std::vector<PortId>* out) const override;
  /// Looks up the stored distance; kUnreachable if the search did not reach `core_node`.
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const override;
  /// Takes the least over the neighbours of `from`; an end that is no GPU must be linked to the
  /// other.
  std::uint32_t Hops(NodeId from, NodeId to) const override;
  /// Recomputes the classes whose distances change; all other data is shared with this table.
  std::shared_ptr<const RouteTable> WithDown(std::vector<LinkId> down,
                                             RouteChange* change) const override;
  /// Returns bytes, with all that it shares with other tables.
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
  /// Neighbours of a node, consecutive in memory that the table owns.
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

  /// Sorts the neighbours of each node and numbers the core nodes in the order of their ids.
  static std::shared_ptr<const Wiring> MakeWiring(const Graph& graph, bool gpus_transit);
  /// Puts GPUs with equal keys into one class, in the order of their first GPUs.
  void FindClasses();
  /// Sets `key` to that of a GPU's class: its usable neighbours that are not local, descending.
  void KeyOf(NodeId gpu, std::vector<std::uint32_t>* key) const;
  /// Fills distances_. A class whose GPUs are linked to twins of another class's switches gets that
  /// one's distances, in which the twins have changed places: the same is a search from there.
  void ComputeClasses();
  /// Returns, by node, the first of the switches that have the same neighbours among core nodes:
  /// its twins. Other nodes have themselves.
  std::vector<std::uint32_t> FindTwins() const;
  /// Searches the distances of one class, breadth-first from its GPUs; all kFar if it has no GPU.
  std::shared_ptr<const Distances> ComputeClass(std::uint32_t cls) const;

  /// Replaces the usable neighbours of these nodes by those over links that are up now.
  void Rewire(const std::vector<NodeId>& nodes);
  /// Moves the touched GPUs into the classes of their usable links, and reports that in `change`.
  /// Returns the classes to compute; their rows are null until then.
  std::vector<std::uint32_t> MoveGpus(RouteChange* change);
  /// Returns how the changed links, all between core nodes, affect a class. Requires that its
  /// distances are still the old ones.
  Effect EffectOn(std::uint32_t cls, const std::vector<LinkId>& core_links) const;
  /// Whether a neighbour over a link that is up is one hop closer to the class.
  bool HasNextHop(std::uint32_t cls, NodeId core) const;

  /// Returns all neighbours over links that are up, in descending id, then ascending port.
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
  /// Returns the same over all links, up or down.
  static Range AllNeighbours(const Wiring& wiring, NodeId node) {
    const Neighbour* all = wiring.neighbours.data();
    return {all + wiring.offset[node.value], all + wiring.offset[node.value + 1]};
  }
  /// Returns the parallel links from `node` to `peer` that are up; empty if none is.
  Range LinksTo(NodeId node, NodeId peer) const;
  /// Whether only GPUs that do not forward follow after this neighbour, as neighbours are in
  /// descending id.
  bool only_ends_follow(NodeId node) const { return graph_->is_gpu(node) && !is_core(node); }
  /// Whether `node` is an NVSwitch that is linked to GPUs only, and does not forward.
  bool is_local(NodeId node) const {
    return !is_core(node) && graph_->kind(node) == NodeKind::kNvSwitch;
  }
  /// Returns links from a core node to the GPUs of a class, or kFar.
  Distance distance(std::uint32_t cls, NodeId core) const {
    return (*distances_[cls])[wiring_->core_index[core.value]];
  }
  /// Returns the links to `gpu` if the first one leads to `next`; kUnreachable if it leads nowhere.
  std::uint32_t HopsOver(const Neighbour& next, NodeId gpu) const;
  /// Appends the ports of all parallel links to `peer` that are up, ascending.
  void PortsToPeer(NodeId node, NodeId peer, std::vector<PortId>* out) const;
  /// Drops the other ports if one of them leads to an NVSwitch, as SimAI prefers NVLink.
  void KeepNvSwitches(NodeId node, std::vector<PortId>* out) const;

  const Graph* graph_;
  std::shared_ptr<const Wiring> wiring_;
  std::shared_ptr<const Classes> classes_;
  std::vector<std::shared_ptr<const Distances>> distances_;  // by class
  // Neighbours of the nodes with a link down.
  std::map<NodeId, std::shared_ptr<const std::vector<Neighbour>>> rewired_;
};

}  // namespace heddle
