// SPDX-License-Identifier: GPL-2.0-only
/// `heddle topo route`: make forwarding tables for a topology, or check some.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// How evenly destinations are spread over the ports between switches.
struct TableSpread {
  std::uint64_t ports = 0, used = 0;  ///< between switches; of them: used by some destination
  double mean = 0;                    ///< destinations of a used port
  std::uint64_t most = 0;             ///< destinations of one port
};
/// Counts the GPUs that the tables lead over each port between switches.
TableSpread SpreadOf(const Graph& graph, const ForwardingTables& tables);

/// Returns the same as a line.
std::string SpreadText(const Graph& graph, const ForwardingTables& tables);

/// `arguments`: after "topo route". Returns an exit code: 3 if tables have a loop or a pair of GPUs
/// without a path.
int RouteTopology(const std::vector<std::string>& arguments);

}  // namespace heddle
