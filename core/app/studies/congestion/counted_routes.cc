// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/counted_routes.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "io/input/file_kind.h"

namespace heddle {

CountedRoutes RoutesOf(const CongestionArguments& given, const Graph* graph) {
  const RoutingArguments& routing = given.routing;
  const std::string network = Printable(given.network);
  if (!routing.tables.empty()) return {"tables", "the tables of " + Printable(routing.tables)};
  if (routing.any())
    return {routing.routing, "the tables that --routing makes: " + routing.routing};
  if (graph == nullptr) return {"file", "the tables of " + network};
  if (graph->routing() != nullptr) return {"file", "those of " + network};
  return {kEqualCost, "equal-cost; a hash takes one of the shortest"};
}

void CheckRoutesAreGiven(const CongestionArguments& given) {
  if (given.routing.any() || given.names_routing) return;
  if (KindOfFile(given.network) != FileKind::kInfiniband) return;
  throw UserError(fmt::format(
      "{}: cables of an InfiniBand network without its forwarding tables; other routes would be "
      "those of no network. Expected: --tables DUMP with what the subnet manager wrote "
      "(opensm.fdbs), or routes to assume: --routing minhop, updown, ...",
      Printable(given.network)));
}

}  // namespace heddle
