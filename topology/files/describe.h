// SPDX-License-Identifier: GPL-2.0-only
/// Describes a fabric as text, for `heddle topo show`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Called with the step that begins: "finds the routes".
using TellStep = std::function<void(const std::string& step)>;

/// Two GPUs with the largest distance between connected GPUs.
struct Diameter {
  std::uint32_t hops = 0;  ///< 0 if no two GPUs are connected
  NodeId from, to;
};

/// Switches of one tier: "leaf".
struct TierSwitches {
  std::string name;
  std::size_t switches = 0;
};

/// Links between two tiers, of one rate and delay: "leaf - spine".
struct TierLinks {
  std::string tiers;
  std::size_t number = 0;
  BitRate rate;
  Time delay;
};

/// Equal-cost paths between two GPUs: "same leaf".
struct EqualPaths {
  std::string name;
  NodeId from, to;
  std::uint32_t hops = 0;
  double number = 0;
};

/// What is said of a fabric, beside TierBandwidths() (topology/graph/oversubscription.h).
struct FabricOverview {
  std::uint32_t servers = 0;
  std::vector<TierSwitches> tiers;  ///< the lowest first
  std::vector<TierLinks> links;     ///< by tiers, rate and delay
  Diameter diameter;
  std::uint32_t classes = 0;  ///< of destinations
  std::vector<EqualPaths> paths;
  std::vector<std::string> warnings;
};

/// Collects what is said of a fabric. `tell` is called before each step that takes seconds in a
/// large fabric; it may be null.
FabricOverview OverviewOf(const Graph& graph, const TellStep& tell = {});

/// Returns several lines: counts, tiers, links between tiers, oversubscription, diameter, delays,
/// numbers of equal-cost paths, warnings.
std::string DescribeFabric(const Graph& graph, const FabricOverview& facts);
/// Returns the text of OverviewOf().
std::string DescribeFabric(const Graph& graph, const TellStep& tell = {});

/// Returns only the warnings, one a line: parallel cables, GPUs that cannot reach each other, tiers
/// of mixed rates, an incomplete last server. Empty if there are none.
std::vector<std::string> FabricWarnings(const Graph& graph, const Routes& routes);

/// Searches two GPUs at the largest distance [hops]; the first in the order of classes. Visits few
/// of all pairs, as most pairs of two classes are equally far.
Diameter FindDiameter(const Graph& graph, const Routes& routes);

/// Returns the number of different equal-cost paths, parallel cables counted; 0 if unreachable.
double CountPaths(const Graph& graph, const Routes& routes, NodeId from_gpu, NodeId to_gpu);

}  // namespace heddle
