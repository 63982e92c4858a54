// SPDX-License-Identifier: GPL-2.0-only
/// The summary's lines of slowdowns: quantiles, and the slowest flows with what held them up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/records/flow_vocabulary.h"
#include "topology/graph/graph.h"
#include "topology/routes/routes.h"

namespace heddle {

/// Slowdowns of finished flows: completion time over that of the flow alone.
struct SlowdownQuantiles {
  double p50 = 0, p90 = 0, p99 = 0, worst = 0;
};
/// Returns the quantiles of the rows of all flows; none if no flow has finished.
std::optional<SlowdownQuantiles> SlowdownsOfFlows(const Table& flows);
/// Returns the quantiles from the tables that DescribeSlowdownHistogram() takes, to within a bin.
std::optional<SlowdownQuantiles> SlowdownsOfHistogram(const Table& sizes, const Table& histogram);

/// Describes the flows that lost the most time to others or to failures:
///   loss = completion - time alone - time that flows of the same source took of its port
/// So neither fan-out nor a ring that shares its NVLinks with itself is slow. With several NIC
/// ports the loss is at least that. For each flow follow timeouts, NACKs and what was sent again,
/// from `recovered`, then the links that others used at the same time. Messages of one connection
/// of a job follow each other and are no competitors. Empty if no flow has finished.
std::string DescribeSlowdowns(const Graph& graph, const Routes* routes, const Table& flows,
                              const std::vector<FlowRecord>& recovered);

/// Returns the line of quantiles from the statistics of all flows, for results that do not keep
/// every flow: `sizes` is /flow_sizes, `histogram` is /slowdown_histogram. A quantile is the middle
/// of a bin, at most 1/64 wide, but never above the largest slowdown. Empty if no flow has a
/// slowdown.
std::string DescribeSlowdownHistogram(const Table& sizes, const Table& histogram);

}  // namespace heddle
