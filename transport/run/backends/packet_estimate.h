// SPDX-License-Identifier: GPL-2.0-only
/// Estimates the cost of some traffic in the packet fabric: packet-hops, events, time, and memory
/// that grows with the open flows.
#pragma once

#include "core/base/memory_account.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"
#include "transport/run/backends/backend_records.h"
#include "transport/run/fabric/fabric.h"

namespace heddle {

/// Counts flows and packet-hops; events and time are these counts times measured factors.
TrafficCost CostOfPackets(const Graph& graph, const Routes& routes, const TransportOptions& options,
                          const TrafficWalk& traffic);

/// Estimates the growth of memory for this open traffic.
MemoryAccount GrowthOfPackets(const Fabric& fabric, const OpenTraffic& open);

}  // namespace heddle
