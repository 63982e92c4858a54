// SPDX-License-Identifier: GPL-2.0-only
/// How many flows of a trace are open at once, about: from their starts, sizes and the rates of
/// their ends' links.
#ifndef HEDDLE_CORE_APP_ESTIMATE_OPEN_FLOWS_H_
#define HEDDLE_CORE_APP_ESTIMATE_OPEN_FLOWS_H_

#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// By GPU, the most flows that it has open at a time. Every GPU sends and receives one flow after
/// the other at the rate of its links to switches (of all its links if it has none), in the order
/// of starts: an upper bound where only the ends' links are full, about right elsewhere. Takes
/// O(flows log flows).
std::vector<std::uint32_t> MostOpenFlows(const Graph& graph, const std::vector<FlowRequest>& flows);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ESTIMATE_OPEN_FLOWS_H_
