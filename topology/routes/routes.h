// SPDX-License-Identifier: GPL-2.0-only
/// Equal-cost shortest routes by hop count, stored by class of destinations.
///
/// GPUs with the same neighbours form a class; only NVSwitches that are linked to nothing but GPUs
/// ("local" ones) do not count, so a class spans servers. Distances are kept a class and core node
/// (a switch, or an NVSwitch that is not local): O(classes x switches), not O(GPUs x nodes).
///
/// Rules, as in SimAI: GPUs never transit; where an NVSwitch is among the equal-cost next hops,
/// only NVSwitches stay; next hops are listed in descending node id, parallel cables in ascending
/// port. An NVSwitch is a destination, and a source, only for its neighbours.
///
/// Links can be down: WithDown() derives new routes and computes again only what a change affects.
/// Derived routes share the unchanged parts, so that a long list of failures stays small.
#ifndef HEDDLE_TOPOLOGY_ROUTES_ROUTES_H_
#define HEDDLE_TOPOLOGY_ROUTES_ROUTES_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Routes over a graph, which must outlive them.
class Routes {
 public:
  /// A number of hops that means there is no way.
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  /// Routes with every link up.
  explicit Routes(const Graph& graph);

  /// What new routes differ in from those that they were derived from. All ascending.
  struct Change {
    std::vector<std::uint32_t> classes;     ///< next hops at some core node, or members, differ
    std::vector<std::uint32_t> recomputed;  ///< of these, those whose distances were searched again
    std::vector<std::uint32_t> regrouped;   ///< of these, those that gained or lost GPUs
    std::vector<NodeId> moved;              ///< GPUs that are in another class now
    std::vector<NodeId> touched;            ///< nodes of which a link went down or came up

    /// The classes whose next hops at a core node, or whose members, may differ: at a node that was
    /// not touched, a class has other next hops only if its distances were searched again.
    std::vector<std::uint32_t> ClassesAt(NodeId node) const;
  };

  /// Routes with exactly the links `down` out of use, derived from these (which may have others
  /// down). A class keeps its number; a GPU with other usable links than before moves to the class
  /// that has these, which may be new, and its old class may stay behind empty. Replaces *change.
  Routes WithDown(std::vector<LinkId> down, Change* change) const;

  bool is_up(LinkId link) const;
  /// The links that are out of use, ascending.
  const std::vector<LinkId>& down() const { return down_; }

  std::uint32_t class_count() const { return static_cast<std::uint32_t>(classes_->members.size()); }
  std::uint32_t class_of(NodeId gpu) const { return classes_->class_of[gpu.value]; }
  /// The GPUs of a class, ascending. With every link up, classes are ordered by their first GPU.
  const std::vector<NodeId>& members(std::uint32_t cls) const { return classes_->members[cls]; }
  /// Whether `node` forwards between others: a switch, or an NVSwitch that is not local. Links that
  /// are down count.
  bool is_core(NodeId node) const { return wiring_->core_index[node.value] != kNotCore; }

  /// The ports of `node` on shortest ways to `destination` (a GPU, or an NVSwitch next to `node`);
  /// empty if there is no way. `node` != `destination`. Replaces *out.
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const;

  /// The same from a core node for all GPUs of a class at once; empty where the ports differ by
  /// GPU, that is if `core_node` is linked to them, and if there is no way. Replaces *out.
  void NextHopsToClass(NodeId core_node, std::uint32_t cls, std::vector<PortId>* out) const;

  /// Links from a core node to the GPUs of a class, or kUnreachable.
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const;

  /// Links crossed from one GPU to another, 0 to itself, or kUnreachable. With an NVSwitch at one
  /// end: 1 if the two are linked.
  std::uint32_t Hops(NodeId from, NodeId to) const;

  /// Bytes that it has allocated, shared parts included.
  std::size_t memory() const;

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

  /// What never changes: the cables and who forwards.
  struct Wiring {
    std::vector<std::uint32_t> offset;  // of a node's neighbours in neighbours
    std::vector<Neighbour> neighbours;
    std::vector<NodeId> core;
    std::vector<std::uint32_t> core_index;  // by node
  };
  struct Classes {
    std::vector<std::uint32_t> class_of;  // by GPU
    std::vector<std::vector<NodeId>> members;
    std::map<std::vector<std::uint32_t>, std::uint32_t> by_key;  // emptied classes included
  };
  using Distances = std::vector<Distance>;  // by core node
  /// Which part of a class' routes a change of links reaches.
  enum class Effect { kNone, kNextHops, kDistances };

  static std::shared_ptr<const Wiring> MakeWiring(const Graph& graph);
  void FindClasses();
  /// What makes a class: the usable neighbours of its GPUs.
  void KeyOf(NodeId gpu, std::vector<std::uint32_t>* key) const;
  /// Distances of one class from scratch; all kFar if it has no GPU.
  std::shared_ptr<const Distances> ComputeClass(std::uint32_t cls) const;

  void Rewire(const std::vector<NodeId>& nodes);
  std::vector<std::uint32_t> MoveGpus(Change* change);
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
  std::vector<LinkId> down_;                                 // ascending
  // Neighbours of the nodes with a link down.
  std::map<NodeId, std::shared_ptr<const std::vector<Neighbour>>> rewired_;
};

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_ROUTES_ROUTES_H_
