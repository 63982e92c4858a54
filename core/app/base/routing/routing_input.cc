// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/routing/routing_input.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/check.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "topology/graph/node_names.h"
#include "topology/tables/table_check.h"
#include "topology/tables/table_makers.h"
#include "topology/tables/table_routing.h"
#include "topology/tables/tables_file.h"

namespace heddle {
namespace {

void Check(const Graph& graph, const ForwardingTables& tables, const std::string& source,
           std::vector<std::string>* warnings) {
  const TableFindings found = CheckTables(graph, tables);
  const NodeNames names(graph);
  if (found.loops > 0) {
    throw UserError(fmt::format("{}: {} loops, the first {}. Expected: tables without a loop",
                                source, found.loops, Describe(names, found.first_loops.front())));
  }
  if (found.holes == 0) return;
  const TableHole& first = found.first_holes.front();
  warnings->push_back(fmt::format("{}: {} pairs of GPUs have no way, the first is {} to {}", source,
                                  found.holes, names.Of(first.source),
                                  names.Of(first.destination)));
}

}  // namespace

std::string RoutingText() { return fmt::format("{}, {}", kEqualCost, TableMakersText()); }

std::shared_ptr<const ForwardingTables> TablesFor(const RoutingArguments& arguments,
                                                  const Graph& graph) {
  const bool from_file = !arguments.tables.empty();
  if (from_file && arguments.routing != kEqualCost)
    throw UserError("--routing and --tables: both say where packets go. Expected: one of them");
  return std::make_shared<const ForwardingTables>(
      from_file
          ? ReadAs(FileKind::kTables, arguments.tables,
                   [&] {
                     return ParseTables(ReadTextFile(arguments.tables), arguments.tables, graph);
                   })
          : MakeTables(graph, arguments.routing));
}

void UseTables(const std::string& source, std::shared_ptr<const ForwardingTables> tables,
               Graph* graph, std::vector<std::string>* warnings) {
  Check(*graph, *tables, source, warnings);
  graph->SetRouting(std::make_shared<const TableRouting>(std::move(tables)));
}

}  // namespace heddle
