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

  explicit SwitchWiring(const Graph& graph);

  const Graph& graph() const { return graph_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  NodeId node(std::uint32_t index) const { return nodes_[index]; }
  /// Ascending in index of the neighbour, then port.
  const std::vector<Neighbour>& neighbours(std::uint32_t index) const { return neighbours_[index]; }
  /// In the order of their first GPU.
  const std::vector<Group>& groups() const { return groups_; }
  /// Links to the nearest of some switches, by index; kFar if there is no way.
  std::vector<std::uint32_t> DistancesTo(const std::vector<std::uint32_t>& switches) const;

 private:
  const Graph& graph_;
  std::vector<NodeId> nodes_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<Group> groups_;
};

/// The ports of each switch, by index, that lead to a group's switches; empty at those switches
/// themselves, and where there is no way.
using PathsToGroup = std::vector<std::vector<PortId>>;

/// The index of the port of `ports` that a switch uses for a GPU.
using PortChoice =
    std::function<std::size_t(std::uint32_t index, NodeId gpu, const std::vector<PortId>& ports)>;

/// Tables for all GPUs: by their own link at the switches that have one, elsewhere as `choose`
/// says among `ways`.
ForwardingTables FillTables(
    const SwitchWiring& wiring,
    const std::function<PathsToGroup(const SwitchWiring::Group& group)>& ways,
    const PortChoice& choose);

/// Chooses the port with the fewest destinations so far, and counts.
class LeastDestinations {
 public:
  explicit LeastDestinations(const SwitchWiring& wiring);
  std::size_t operator()(std::uint32_t index, NodeId gpu, const std::vector<PortId>& ports);

 private:
  std::vector<std::vector<std::uint32_t>> count_;  ///< by index of the switch, then port
};

}  // namespace heddle
