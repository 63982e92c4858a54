// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/result_graph.h"

#include <memory>
#include <string>

#include "io/result/attribute_map.h"
#include "io/result/dimension_table.h"
#include "io/result/graph_table.h"
#include "topology/tables/table_routing.h"

namespace heddle {

Graph ReadGraph(const ResultReader& result) {
  Graph graph = GraphFromTables(result.ReadTable(kShapeTable), result.ReadTable(kLinkTable));
  if (result.HasTable(kForwardingTables)) {
    graph.SetRouting(std::make_shared<const TableRouting>(std::make_shared<const ForwardingTables>(
        TablesFromTable(graph, result.ReadTable(kForwardingTables)))));
  }
  if (AttributeMap(result.ReadAttributes()).Text("option aggregation.switches") == "all")
    graph.LetSwitchesAdd();
  if (result.HasTable(kNodeTable))
    graph.SetNames(GetColumn<std::string>(result.ReadTable(kNodeTable), "name"));
  if (result.HasTable(kDimensionTable)) SetDimensions(result.ReadTable(kDimensionTable), &graph);
  return graph;
}

}  // namespace heddle
