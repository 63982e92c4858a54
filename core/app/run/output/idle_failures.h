// SPDX-License-Identifier: GPL-2.0-only
/// What failed in a run though nothing was sent over it.
#pragma once

#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle {

/// "idle failures    leaf 0 - spine 0 was down for 4.9 ms; nothing was sent over it in this run",
/// with the line's end, and a line for each further one, at most three. Empty if packets passed all
/// that failed. `ports`: the table of totals of ports. `end`: of the run.
std::string IdleFailureLines(const Graph& graph, const std::vector<FailureEvent>& events,
                             const Table& ports, Time end);

}  // namespace heddle
