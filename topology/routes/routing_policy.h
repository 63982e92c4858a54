// SPDX-License-Identifier: GPL-2.0-only
/// How routes are chosen in a fabric. A graph carries its policy (Graph::SetRouting). A graph
/// without one, such as one read from SimAI's topology file, has equal cost (equal_cost.h).
///
/// A policy states properties and makes a table (route_table.h) before a run; packets do not use
/// it.
#pragma once

#include <memory>

#include "topology/graph/graph.h"
#include "topology/routes/route_table.h"

namespace heddle {

class RoutingPolicy {
 public:
  virtual ~RoutingPolicy() = default;

  /// Whether GPUs forward packets of others. If not, a GPU is only the first or last node of a
  /// path.
  virtual bool gpus_transit() const = 0;

  /// Makes the table of a graph with every link up. The graph, and with it the policy, outlives it.
  virtual std::shared_ptr<const RouteTable> MakeTable(const Graph& graph) const = 0;
};

}  // namespace heddle
