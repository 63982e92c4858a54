// SPDX-License-Identifier: GPL-2.0-only
/// A fabric as tables and back, so that a result contains its topology.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "topology/graph/graph.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Names of the tables in a result.
constexpr const char* kLinkTable = "topology/links";
constexpr const char* kShapeTable = "topology/shape";
constexpr const char* kNodeTable = "topology/nodes";
constexpr const char* kForwardingTables = "topology/forwarding";

/// Returns one row for each link, in the order of the links' numbers: a, b, rate_bps, delay_ps,
/// error_rate.
Table LinkTable(const Graph& graph);
/// Returns one row: gpus, nvswitches, switches, gpus_per_server, gpu_type.
Table ShapeTable(const Graph& graph);

/// Returns one row a node, in the order of their numbers: name, as NodeNames has it.
Table NodeTable(const Graph& graph);

/// Returns one row for each run of GPUs that a switch sends through one port (TableRun): node,
/// first_gpu, last_gpu, port.
Table ForwardingRows(const ForwardingTables& tables);

/// Returns all tables of a graph: shape, links, nodes, the forwarding tables if it routes by them,
/// and its dimensions if it has some.
std::vector<Table> GraphTables(const Graph& graph);

/// Returns the forwarding tables of a graph. Throws UserError for a missing column, and for nodes,
/// GPUs and ports that the graph does not have.
ForwardingTables TablesFromTable(const Graph& graph, const Table& rows);

/// Returns the graph described by these tables. Throws UserError for a missing column, an
/// impossible node count, and anything that Graph rejects.
Graph GraphFromTables(const Table& shape, const Table& links);

}  // namespace heddle
