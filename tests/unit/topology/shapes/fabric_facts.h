// SPDX-License-Identifier: GPL-2.0-only
/// Makes fabrics as `heddle topo` does, and measures them without routes: for tests of shapes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topology/generate/fabric_plan.h"
#include "topology/graph/graph.h"

namespace heddle {

/// The plan of a fabric: "Torus -dims 4x4".
FabricPlan PlanFabric(const std::string& words);
Graph MakeFabric(const std::string& words);
std::vector<std::string> NotesOnFabric(const std::string& words);

/// The message with which a fabric is refused.
std::string Refusal(const std::string& words);

struct FabricFacts {
  std::uint32_t gpus = 0, nvswitches = 0, switches = 0;
  std::size_t links = 0;        ///< of all kinds
  std::size_t cables = 0;       ///< between switches
  bool is_connected = false;    ///< over all nodes, GPUs among them
  std::uint32_t diameter = 0;   ///< links between the farthest GPUs; GPUs do not forward
  bool all_pairs_meet = false;  ///< each GPU reaches each GPU, not over others
  /// Number of switches by number of cables to other switches.
  std::map<std::size_t, std::size_t> degrees;
};

FabricFacts FactsOf(const Graph& graph);

/// The smallest number of cables between switches whose loss separates the first half of the GPUs
/// from the second (maximum flow, minimum cut). No switch may have GPUs of both halves.
std::uint32_t Bisection(const Graph& graph);

/// Links between two GPUs on the shortest way; 0 if there is none but over other GPUs.
std::uint32_t Distance(const Graph& graph, std::uint32_t from, std::uint32_t to);

}  // namespace heddle
