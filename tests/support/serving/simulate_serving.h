// SPDX-License-Identifier: GPL-2.0-only
/// Runs a whole simulation of instances that serve requests in one call, for tests.
#pragma once

#include <vector>

#include "core/mpi/communicator.h"
#include "core/serving/fabric/serving_driver.h"
#include "tests/support/simulate.h"
#include "topology/graph/graph.h"

namespace heddle::testing {

/// Runs instances as Simulate() runs flows; their messages are the flows. Observed::jobs has what
/// they recorded: "serving/records", "serving/instances".
Observed SimulateServing(const Graph& graph, const ServingPlan& plan,
                         const ServingRequests& requests, const Scenario& scenario = {},
                         const Communicator& world = Communicator::Serial());

/// Returns what the instances of all ranks recorded, at the root, in an order of its own.
/// Collective.
std::vector<Table> RecordTables(const Communicator& world, const ServingDriver& driver);

}  // namespace heddle::testing
