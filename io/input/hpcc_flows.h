// SPDX-License-Identifier: GPL-2.0-only
/// Reader of the flow files of HPCC's simulator: the number of flows on the first line, then that
/// many lines `src dst pg dport bytes start_s`, in any order of time.
///
/// `pg` is the priority, 1 to 7 (0 carries control frames). The start, in seconds, is rounded to
/// the nearest nanosecond, the time unit of that simulator. It is the creation time of the queue
/// pair, so no send latency is added. Blank lines are skipped, and so is text after the last flow
/// that does not begin with a digit (such as the explanation in HPCC's own example).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/traffic/flow_request.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Reads the flows in the file's order. Throws UserError with file and line for the first mistake,
/// and if the number of flows differs from that on the first line.
std::vector<FlowRequest> ReadHpccFlows(const std::string& path, const Graph& graph);

/// Reads text in memory likewise; `name` is used as the file's name in messages.
std::vector<FlowRequest> ParseHpccFlows(std::string_view text, const std::string& name,
                                        const Graph& graph);

}  // namespace heddle
