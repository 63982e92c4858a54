// SPDX-License-Identifier: GPL-2.0-only
/// Describes a fabric as text, for `heddle topo show`.
#ifndef HEDDLE_TOPOLOGY_FILES_DESCRIBE_H_
#define HEDDLE_TOPOLOGY_FILES_DESCRIBE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Called with the step that begins: "finds the routes".
using TellStep = std::function<void(const std::string& step)>;

/// Several lines: counts, tiers, links between tiers, oversubscription, diameter, delays, numbers
/// of equal-cost paths, warnings. `tell` is called before each step that takes seconds in a large
/// fabric; it may be null.
std::string DescribeFabric(const Graph& graph, const TellStep& tell = {});

/// Only the warnings, one a line: parallel cables, GPUs that cannot reach each other, tiers of
/// mixed rates, an incomplete last server. Empty if there are none.
std::vector<std::string> FabricWarnings(const Graph& graph, const Routes& routes);

/// Two GPUs with the largest distance between connected GPUs.
struct Diameter {
  std::uint32_t hops = 0;  ///< 0 if no two GPUs are connected
  NodeId from, to;
};
Diameter FindDiameter(const Graph& graph, const Routes& routes);

/// Number of different equal-cost paths, parallel cables counted; 0 if unreachable.
double CountPaths(const Graph& graph, const Routes& routes, NodeId from_gpu, NodeId to_gpu);

}  // namespace heddle

#endif  // HEDDLE_TOPOLOGY_FILES_DESCRIBE_H_
