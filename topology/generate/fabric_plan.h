// SPDX-License-Identifier: GPL-2.0-only
/// The plan of a fabric, made by a family: nodes, cables, tiers and routing. Graphs and topology
/// files are made from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "topology/graph/graph.h"

namespace heddle {

struct FabricPlan {
  /// Properties shared by cables, as text of a topology file.
  struct CableType {
    std::string rate;        ///< "400Gbps"
    std::string delay;       ///< "0.0005ms"
    std::string error_rate;  ///< probability that a packet is lost, in [0, 1)
  };
  struct Cable {
    std::uint32_t a, b;
    std::uint8_t type;  ///< index into types
  };

  /// Nodes are numbered in this order.
  std::uint32_t gpus = 0, nvswitches = 0, switches = 0;
  std::uint32_t gpus_per_server = 1;
  std::string gpu_type = "NONE";
  std::vector<CableType> types;
  std::vector<Cable> cables;                     ///< in the order of the file and of ports
  NodeTiers tiers;                               ///< empty: derived from the links
  std::shared_ptr<const RoutingPolicy> routing;  ///< null: equal cost

  /// Returns the number of all nodes; ids of cables' ends are below it.
  std::uint32_t nodes() const { return gpus + nvswitches + switches; }
};

/// Throws UserError for a node with more links than a graph may have (kMaxPorts), with `remedy`.
void CheckPorts(const FabricPlan& plan, const std::string& fabric, const std::string& remedy);

/// Makes the graph of a plan. Throws UserError as Graph does.
Graph MakeGraph(const FabricPlan& plan);

/// Returns the bytes of SimAI's topology file, which cannot contain tiers and routing.
std::string PlanText(const FabricPlan& plan);

}  // namespace heddle
