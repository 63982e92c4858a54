// SPDX-License-Identifier: GPL-2.0-only
/// Which routes a study counts, for its text and its result.
#pragma once

#include <string>

#include "core/app/studies/congestion/congestion_arguments.h"
#include "topology/graph/graph.h"

namespace heddle {

struct CountedRoutes {
  std::string word;  ///< of the result: equal-cost, a maker of tables, "tables", or "file"
  std::string text;  ///< of the screen
};

/// Returns the routes that the arguments choose. `graph` is null for a network in DOT.
CountedRoutes RoutesOf(const CongestionArguments& given, const Graph* graph);

/// Throws UserError for a network of ibnetdiscover without --tables and --routing: it has cables
/// alone, and InfiniBand has no routes of its own that could be counted.
void CheckRoutesAreGiven(const CongestionArguments& given);

}  // namespace heddle
