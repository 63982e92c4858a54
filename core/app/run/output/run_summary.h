// SPDX-License-Identifier: GPL-2.0-only
/// The summary of a run for people: speed of the flows, the slowest flows, and the flows that
/// shared links with them; and the simulator's own figures, apart from them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/app/run/output/run_figures.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Returns several lines, each with its line end.
std::string Summarize(const Graph& graph, const Routes& routes, const Outcome& outcome,
                      const RunFigures& figures);

/// Describes what the simulator did: its speed, and waiting and memory by rank. Several lines.
std::string DescribeSimulator(const RunFigures& figures);

/// The text for the collective of a job's operation.
using NameOfCollective = std::function<std::string(std::uint32_t job, std::uint32_t operation)>;

/// "75 flows did not finish, 67 of them never began: ...", with the known reasons: those of
/// `figures` (deadlock, end of time) and drops. Then "server 0 / GPU 0 -> server 1 / GPU 0 (4 MB)
/// ..." of the first that began. `name`: null if the flows belong to no job.
std::string DescribeUnfinished(const Graph& graph, const Outcome& outcome,
                               const RunFigures& figures, const NameOfCollective& name);

}  // namespace heddle
