// SPDX-License-Identifier: GPL-2.0-only
/// Files of forwarding tables beside a topology file (docs/formats/tables.md).
///
/// Text. First line: "heddle-tables 1 GPUS NODES", the numbers of the topology. Then a line
/// "SWITCH FIRST LAST PORT" for each run of consecutive GPUs FIRST to LAST that a switch sends
/// through one port. Ports are numbered from 0 in the order of the switch's links in the topology
/// file.
#pragma once

#include <string>
#include <string_view>

#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// Reads tables for `graph`. Throws UserError with `name` and line: not such a file, one of
/// another topology, a node that is no switch, a GPU or port that does not exist, an entry given
/// twice.
ForwardingTables ParseTables(std::string_view text, const std::string& name, const Graph& graph);

/// Returns the file's text.
std::string TablesText(const ForwardingTables& tables);

}  // namespace heddle
