// SPDX-License-Identifier: GPL-2.0-only
/// Approximate number of flows of a trace that are open at once: from their starts, their sizes and
/// the link rates at both ends.
#pragma once

#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Returns for each GPU the largest number of flows that it has open at a time. The model: every
/// GPU sends and receives one flow after the other, in the order of starts, at the rate of its
/// links to switches (of all its links if it has none). This is an upper bound where only the ends'
/// links are full, and approximate elsewhere. Takes O(flows log flows).
std::vector<std::uint32_t> MostOpenFlows(const Graph& graph, const std::vector<FlowRequest>& flows);

}  // namespace heddle
