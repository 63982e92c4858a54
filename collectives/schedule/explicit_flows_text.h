// SPDX-License-Identifier: GPL-2.0-only
/// Flows of a collective as text: a table to read, CSV to compute with, Graphviz to look at.
#ifndef HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_TEXT_H_
#define HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_TEXT_H_

#include <string>
#include <vector>

#include "collectives/schedule/explicit_flows.h"

namespace heddle {

/// Aligned columns under one line of names; src, dst and prev are nodes of the topology, lists are
/// joined by blanks, "-" is an empty one.
std::string FlowsAsTable(const std::vector<SingleFlow>& flows);
/// `flow_id,src,dst,flow_size_bytes,prev,parents,children,channel,chunk,chunk_count,connection`;
/// lists are joined by blanks.
std::string FlowsAsCsv(const std::vector<SingleFlow>& flows);
/// A directed graph: a box a flow, those of a channel framed, an edge from each parent to each
/// child.
std::string FlowsAsDot(const std::vector<SingleFlow>& flows);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_SCHEDULE_EXPLICIT_FLOWS_TEXT_H_
