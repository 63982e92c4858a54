// SPDX-License-Identifier: GPL-2.0-only
/// Checks that a flow of a trace has a path, for every backend whose flows take paths.
#pragma once

#include <cstddef>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Throws UserError, naming flow `number` of the input (from 1), if there is no path between its
/// ends.
void CheckPath(const Graph& graph, const Routes& routes, std::size_t number,
               const FlowRequest& flow);

}  // namespace heddle
