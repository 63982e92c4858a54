// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/fabric/path_check.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "topology/paths/path_tracer.h"

namespace heddle {

void CheckPath(const Graph& graph, const Routes& routes, std::size_t number,
               const FlowRequest& flow) {
  if (routes.Hops(flow.source, flow.destination) != Routes::kUnreachable) return;
  const bool rail_only = FindRailMate(graph, routes, flow.source, flow.destination).valid();
  throw UserError(
      fmt::format("flow {} of the input, from {} to {}: the topology has no path between them{}",
                  number, Describe(graph, flow.source), Describe(graph, flow.destination),
                  rail_only ? " (it is rail-only, and the flows of a trace do not change rails by "
                              "NVLink; collectives do with collective.pxn=true)"
                            : ""));
}

}  // namespace heddle
