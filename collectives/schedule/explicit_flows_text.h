// SPDX-License-Identifier: GPL-2.0-only
/// Flows of a collective as text: an aligned table, CSV, Graphviz.
#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/explicit_flows.h"

namespace heddle {

/// Aligned columns under a line of names; src, dst and prev are nodes of the topology, lists are
/// joined by blanks, "-" is an empty list.
std::string FlowsAsTable(const std::vector<SingleFlow>& flows);
/// `flow_id,src,dst,flow_size_bytes,prev,parents,children,channel,chunk,chunk_count,connection`;
/// lists are joined by blanks.
std::string FlowsAsCsv(const std::vector<SingleFlow>& flows);
/// A directed graph: a box for each flow, a frame for each channel, an edge from each parent to
/// each child.
std::string FlowsAsDot(const std::vector<SingleFlow>& flows);

}  // namespace heddle
