// SPDX-License-Identifier: GPL-2.0-only
/// Routes of a fabric, as the graph's routing policy makes them: from every node, the ports that
/// lead to a GPU.
///
/// All code that needs a path uses this class, at set-up or once a flow: forwarding tables, the
/// path tracer, estimates, the controller's search. Packets use forwarding tables made from it.
///
/// Links can be down: WithDown() derives new routes, which share unchanged data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"
#include "topology/routes/nic_ports.h"
#include "topology/routes/route_table.h"

namespace heddle {

/// Routes over a graph, which must outlive them. Immutable, and cheap to copy.
class Routes {
 public:
  /// Number of hops if there is no path.
  static constexpr std::uint32_t kUnreachable = RouteTable::kUnreachable;
  using Change = RouteChange;

  /// Makes routes by the graph's policy (RoutingOf) with every link up. `nic_ports`: how GPUs
  /// choose among their next hops.
  explicit Routes(const Graph& graph, NicPorts nic_ports = NicPorts::kHash);

  /// Derives routes with exactly the links `down` out of service (these routes may have others
  /// down). A class keeps its number; a GPU may move to another class, which may be new, and its
  /// old class may become empty. Replaces *change.
  Routes WithDown(std::vector<LinkId> down, Change* change) const;

  /// Whether a link is in service in these routes.
  bool is_up(LinkId link) const { return table_->is_up(link); }
  /// Returns the links out of service, ascending.
  const std::vector<LinkId>& down() const { return table_->down(); }

  /// Returns the number of classes; a failure can add classes, and leave old ones empty.
  std::uint32_t class_count() const { return table_->class_count(); }
  /// Returns the class of a GPU, below class_count().
  std::uint32_t class_of(NodeId gpu) const { return table_->class_of(gpu); }
  /// Returns the GPUs of a class, ascending. With every link up, classes are ordered by their first
  /// GPU.
  const std::vector<NodeId>& members(std::uint32_t cls) const { return table_->members(cls); }
  /// Whether `node` forwards between others, also if its links are down.
  bool is_core(NodeId node) const { return table_->is_core(node); }

  /// Sets *out to the ports of `node` that lead to `destination` (a GPU, or an NVSwitch or switch
  /// next to `node`), in the order in which the hash counts them; empty if there is no path. `node`
  /// != `destination`.
  void NextHops(NodeId node, NodeId destination, std::vector<PortId>* out) const {
    if (graph_->kind(destination) == NodeKind::kSwitch)
      return PortsToSwitch(node, destination, out);
    table_->NextHops(node, destination, out);
  }

  /// Sets *out to the same from a core node for all GPUs of a class at once; empty if the ports
  /// differ by GPU, that is if `core_node` is linked to them, and if there is no path.
  void NextHopsToClass(NodeId core_node, std::uint32_t cls, std::vector<PortId>* out) const {
    table_->NextHopsToClass(core_node, cls, out);
  }

  /// Returns the number of links from a core node to the GPUs of a class, or kUnreachable.
  std::uint32_t HopsToClass(NodeId core_node, std::uint32_t cls) const {
    return table_->HopsToClass(core_node, cls);
  }

  /// Returns the number of links from one GPU to another, 0 to itself, or kUnreachable. With an
  /// NVSwitch or a switch at one end: 1 if the two are linked.
  std::uint32_t Hops(NodeId from, NodeId to) const {
    const bool gpus_only =
        graph_->kind(from) != NodeKind::kSwitch && graph_->kind(to) != NodeKind::kSwitch;
    return gpus_only ? table_->Hops(from, to) : HopsToLinked(from, to);
  }

  /// Returns how GPUs choose among their next hops; switches hash (ecmp_hash.h).
  NicPorts nic_ports() const { return nic_ports_; }

  /// Returns memory in bytes, shared data included.
  std::size_t memory() const { return table_->memory(); }

 private:
  /// Wraps a table derived from one of the same graph.
  Routes(const Graph* graph, std::shared_ptr<const RouteTable> table, NicPorts nic_ports)
      : graph_(graph), table_(std::move(table)), nic_ports_(nic_ports) {}

  /// Sets *out to the ports of links to a switch next to `node` that are up, ascending.
  void PortsToSwitch(NodeId node, NodeId destination, std::vector<PortId>* out) const;
  /// Returns 1 if a link between the two is up, 0 from a node to itself, or kUnreachable.
  std::uint32_t HopsToLinked(NodeId from, NodeId to) const;

  const Graph* graph_;
  std::shared_ptr<const RouteTable> table_;
  NicPorts nic_ports_;
};

}  // namespace heddle
