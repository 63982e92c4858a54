// SPDX-License-Identifier: GPL-2.0-only
/// The fabric of a result, with the routing of its run.
#pragma once

#include "io/result/result_reader.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads the graph that kShapeTable and kLinkTable describe, routed by kForwardingTables or by the
/// dimensions of kDimensionTable if there is one (graph_table.h). Throws UserError as the readers
/// of tables do.
Graph ReadGraph(const ResultReader& result);

}  // namespace heddle
