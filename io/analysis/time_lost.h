// SPDX-License-Identifier: GPL-2.0-only
/// Which flows lost the most time to others.
#pragma once

#include <cstddef>
#include <vector>

#include "io/analysis/flow_view.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Most flows for which it is computed for people; with more, lists of single flows are left out.
inline constexpr std::size_t kMostSearchedFlows = 200'000;

/// Returns the time that each flow lost to others, and to failures [ps]:
///   loss = completion - time alone - time that flows of the same source took of its port
/// So neither fan-out nor a ring that shares its NVLinks with itself loses. With several NIC ports
/// the loss is at least that. 0 for unfinished flows, which take their part of the port from their
/// start on.
std::vector<double> TimesLost(const Graph& graph, const FlowView& flows);

/// Returns the finished flows that lost the most, at most `most`, the first the worst. Losses below
/// a hundredth of the flow's time do not count.
std::vector<std::size_t> MostLost(const FlowView& flows, const std::vector<double>& lost,
                                  std::size_t most);

}  // namespace heddle
