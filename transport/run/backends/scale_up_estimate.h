// SPDX-License-Identifier: GPL-2.0-only
/// Estimates the cost of some traffic in a fabric of scale-up links: packet-hops exactly, events
/// and time by measured factors.
#pragma once

#include "topology/graph/graph.h"
#include "transport/domain/state/scale_up_run.h"
#include "transport/run/backends/backend_records.h"

namespace heddle {

/// Estimates the cost on the links of a fabric of dimensions. `run` has routes.
TrafficCost CostOfScaleUp(const Graph& graph, const ScaleUpRun& run, const TrafficWalk& traffic);

/// Whether traffic between these nodes stays on the NVLinks of a server.
bool StaysOnNvLinks(const Graph& graph, const ScaleUpRun& run, NodeId source, NodeId destination);
/// Estimates the cost of what stays on NVLinks under credits (nvlink.layer=credits).
TrafficCost CostOfNvLinks(const Graph& graph, const ScaleUpRun& run, const TrafficWalk& traffic);

}  // namespace heddle
