// SPDX-License-Identifier: GPL-2.0-only
/// Forwarding tables that a command line asks for instead of equal-cost routes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topology/graph/graph.h"
#include "topology/tables/forwarding_tables.h"

namespace heddle {

/// The value of --routing that means SimAI's routes, without tables.
inline constexpr const char* kEqualCost = "equal-cost";

/// Flags --routing and --tables.
struct RoutingArguments {
  std::string routing = kEqualCost;  ///< or a maker of tables (table_makers.h)
  std::string tables;                ///< file; empty: none

  /// Names the tables in messages.
  std::string source() const { return tables.empty() ? "routing " + routing : tables; }
  /// Whether tables are asked for, made or read.
  bool any() const { return routing != kEqualCost || !tables.empty(); }
};

/// "equal-cost, minhop, ...", for help.
std::string RoutingText();

/// Makes or reads the tables that are asked for. Throws UserError for both flags at once, and as
/// makers and the reader do.
std::shared_ptr<const ForwardingTables> TablesFor(const RoutingArguments& arguments,
                                                  const Graph& graph);

/// Checks tables and gives the graph their policy. Pairs without a path become a warning. `source`
/// names the tables in messages. Throws UserError for a loop, which it names.
void UseTables(const std::string& source, std::shared_ptr<const ForwardingTables> tables,
               Graph* graph, std::vector<std::string>* warnings);

}  // namespace heddle
