// SPDX-License-Identifier: GPL-2.0-only
/// Loops and holes of forwarding tables, found before a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/node_names.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Switches that send packets for a GPU round in a circle, in the order of the packets.
struct TableLoop {
  NodeId gpu;
  std::vector<NodeId> nodes;
};

/// A pair of GPUs without a path.
struct TableHole {
  NodeId source, destination;
};

struct TableFindings {
  std::uint64_t loops = 0, holes = 0;
  std::vector<TableLoop> first_loops;  ///< up to kMaxListed, in order of destination
  std::vector<TableHole> first_holes;
  static constexpr std::size_t kMaxListed = 5;
};

/// Follows every table to every GPU. Loops count by destination and circle; holes by pair of GPUs
/// of which the first has no port that leads to the second, though both are linked to switches.
TableFindings CheckTables(const Graph& graph, const ForwardingTables& tables);

/// Returns "leaf 0 -> spine 1 -> leaf 0 for server 0 / GPU 3".
std::string Describe(const NodeNames& names, const TableLoop& loop);

}  // namespace heddle
