// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/route_check.h"

#include <fmt/format.h>

#include "topology/graph/node_names.h"
#include "topology/load/graph_paths.h"
#include "topology/tables/table_check.h"

namespace heddle {
namespace {

/// Equal-cost routes: they have no loop, and a pair has none if nothing joins it.
TableFindings CheckPairs(const Graph& graph) {
  const GraphPaths paths(graph);
  TableFindings found;
  std::vector<std::uint32_t> way;
  for (std::uint32_t a = 0; a < paths.host_count(); ++a) {
    for (std::uint32_t b = 0; b < paths.host_count(); ++b) {
      if (paths.Walk(a, b, &way) == WalkEnd::kArrived) continue;
      if (++found.holes <= TableFindings::kMaxListed)
        found.first_holes.push_back({NodeId(a), NodeId(b)});
    }
  }
  return found;
}

}  // namespace

RouteCheck CheckRoutes(const FabricInput& fabric) {
  const Graph& graph = *fabric.graph;
  const NodeNames places(graph);
  const auto name = [&](NodeId node) {
    const std::vector<std::string>& names = fabric.labels.empty() ? fabric.names : fabric.labels;
    return names.empty() ? places.Of(node) : names[node.value];
  };
  const TableFindings found =
      fabric.tables ? CheckTables(graph, *fabric.tables) : CheckPairs(graph);
  RouteCheck check;
  check.whole = found.loops == 0 && found.holes == 0;
  check.text = fmt::format("routes           {} loops, {} pairs of hosts without a way\n",
                           found.loops, found.holes);
  for (const TableLoop& loop : found.first_loops) {
    std::string circle;
    for (const NodeId node : loop.nodes) circle += name(node) + " -> ";
    check.text += fmt::format("                 loop {}{} for {}\n", circle,
                              name(loop.nodes.front()), name(loop.gpu));
  }
  if (found.loops > found.first_loops.size()) check.text += "                 ...\n";
  for (const TableHole& hole : found.first_holes)
    check.text += fmt::format("                 no way {} to {}\n", name(hole.source),
                              name(hole.destination));
  if (found.holes > found.first_holes.size()) check.text += "                 ...\n";
  return check;
}

}  // namespace heddle
