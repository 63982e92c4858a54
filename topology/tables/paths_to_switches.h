// SPDX-License-Identifier: GPL-2.0-only
/// What makers of forwarding tables search in: switches, the links among them, and destinations
/// that are attached to the same switches. For this folder only.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Nodes with tables: switches, and NVSwitches that are linked to others than GPUs.
class SwitchWiring {
 public:
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

  struct Neighbour {
    std::uint32_t node;  ///< index of the switch
    PortId port;         ///< that leads to it
  };
  /// GPUs with links to the same switches.
  struct Group {
    std::vector<std::uint32_t> switches;  ///< indices, ascending
    std::vector<NodeId> gpus;             ///< ascending
  };

  /// Indexes the nodes with tables in the order of their ids. `graph` outlives it.
  explicit SwitchWiring(const Graph& graph);

  /// Returns the graph, whose NodeIds and PortIds are used here.
  const Graph& graph() const { return graph_; }
  /// Returns the number of nodes with tables; indices are below it.
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Returns the node of an index.
  NodeId node(std::uint32_t index) const { return nodes_[index]; }
  /// Returns the neighbours with tables, ascending in index of the neighbour, then port.
  const std::vector<Neighbour>& neighbours(std::uint32_t index) const { return neighbours_[index]; }
  /// Returns the groups, in the order of their first GPU.
  const std::vector<Group>& groups() const { return groups_; }
  /// Returns the links to the nearest of some switches, by index; kFar if there is no path.
  std::vector<std::uint32_t> DistancesTo(const std::vector<std::uint32_t>& switches) const;

 private:
  const Graph& graph_;
  std::vector<NodeId> nodes_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<Group> groups_;
};

/// The ports of each switch, by index, that lead to a group's switches; empty at those switches
/// themselves, and where there is no path.
using PathsToGroup = std::vector<std::vector<PortId>>;

/// The index of the port of `ports` that a switch uses for a GPU.
using PortChoice =
    std::function<std::size_t(std::uint32_t index, NodeId gpu, const std::vector<PortId>& ports)>;

/// Makes tables for all GPUs. A switch uses its own link to the GPU if it has one, else the port
/// that `choose` takes among `ways`.
ForwardingTables FillTables(
    const SwitchWiring& wiring,
    const std::function<PathsToGroup(const SwitchWiring::Group& group)>& ways,
    const PortChoice& choose);

/// Chooses the port with the fewest destinations so far, and counts.
class LeastDestinations {
 public:
  /// Starts with no destinations at any port.
  explicit LeastDestinations(const SwitchWiring& wiring);
  /// Returns an index into `ports`, and counts the GPU there; the first of equal ones.
  std::size_t operator()(std::uint32_t index, NodeId gpu, const std::vector<PortId>& ports);

 private:
  std::vector<std::vector<std::uint32_t>> count_;  ///< by index of the switch, then port
};

}  // namespace heddle
