// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/routing/fabric_input.h"

#include <string_view>
#include <utility>

#include "core/system/file_kind.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"
#include "topology/files/simai_topology.h"
#include "topology/load/network_fabric.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

TableFabric ReadNetwork(const std::string& path) {
  const OrcsDot dot(ReadTextFile(path), path);
  TableFabric fabric = MakeFabric(dot.network(), {});
  for (std::string& warning : fabric.warnings) warning = path + ": " + warning;
  return fabric;
}

}  // namespace

bool IsDotFile(const std::string& path) {
  constexpr std::string_view kEnd = ".dot";
  return KindOfFile(path) == FileKind::kDot ||
         (path.size() > kEnd.size() &&
          path.compare(path.size() - kEnd.size(), kEnd.size(), kEnd) == 0);
}

FabricInput ReadFabric(const std::string& path, const RoutingArguments& routing, TableUse use) {
  FabricInput fabric;
  if (IsDotFile(path)) {
    TableFabric network = ReadNetwork(path);
    fabric.graph = std::make_unique<Graph>(std::move(network.graph));
    fabric.tables = std::move(network.tables);
    fabric.names = std::move(network.names);
    fabric.warnings = std::move(network.warnings);
  } else {
    fabric.graph = std::make_unique<Graph>(
        ReadAs(FileKind::kTopology, path, [&] { return ReadSimaiTopology(path); }));
  }
  if (routing.any()) fabric.tables = TablesFor(routing, *fabric.graph);
  if (fabric.tables && use == TableUse::kChecked)
    UseTables(routing.any() ? routing.source() : path, fabric.tables, fabric.graph.get(),
              &fabric.warnings);
  return fabric;
}

}  // namespace heddle
