// SPDX-License-Identifier: GPL-2.0-only
/// Names of nodes and links that say where they are: "server 3 / GPU 2", "leaf 5 (rail 5)", "spine
/// 12", "leaf 5 -> spine 12". Nodes that the graph names (Graph::names) have that name.
///
/// Switches are numbered from 0 within their level (topology/graph/link_tiers.h), in the order of
/// their ids. Where all switches have GPUs, as in a dragonfly, there are no levels to name: they
/// are "switch 7", numbered from 0 too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "topology/graph/graph.h"

namespace heddle {

class NodeNames {
 public:
  /// `graph` must outlive it.
  explicit NodeNames(const Graph& graph);

  /// Returns the name of a node of the graph.
  std::string Of(NodeId node) const;
  /// Returns the name of the link at a port of a node, in the direction away from it; with the
  /// cable's number if several join the two: "leaf 5 -> spine 12 (cable 1)".
  std::string Link(NodeId node, PortId port) const;

 private:
  /// Returns the name of a switch by its level: "leaf 5 (rail 5)", "spine 12", "core 3", or "switch
  /// 7" if there are no levels.
  std::string OfSwitch(NodeId node) const;
  /// Sets the rail of each node whose GPUs all have the same place in their servers.
  void FindRails();

  const Graph& graph_;
  std::vector<std::uint8_t> level_;    ///< by node
  std::vector<std::uint32_t> number_;  ///< by node: within its level
  std::vector<std::int64_t> rail_;     ///< by node; -1: GPUs of several places, or none
  bool has_levels_ = false;            ///< some switches have no GPUs
};

}  // namespace heddle
