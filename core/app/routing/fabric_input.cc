// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/routing/fabric_input.h"

#include <optional>
#include <string_view>
#include <utility>

#include "core/system/file_kind.h"
#include "io/astra/astra_network.h"
#include "io/input/text_file.h"
#include "topology/files/orcs_dot.h"
#include "topology/files/simai_topology.h"
#include "topology/infiniband/infiniband_fabric.h"
#include "topology/infiniband/infiniband_labels.h"
#include "topology/infiniband_files/forwarding_dump.h"
#include "topology/infiniband_files/ibnetdiscover.h"
#include "topology/load/network_fabric.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

/// An InfiniBand network, with the tables of a subnet manager's dump if one is given.
FabricInput ReadInfiniband(const std::string& path, const RoutingArguments& routing) {
  const InfinibandNetwork network = ParseIbnetdiscover(ReadTextFile(path), path);
  std::optional<ForwardingDump> dump;
  const std::string tables = routing.tables.empty() ? "" : ReadTextFile(routing.tables);
  if (IsForwardingDump(tables)) dump = ParseForwardingDump(tables, routing.tables, network);
  InfinibandFabric made = MakeFabric(network, dump ? &*dump : nullptr, {});
  FabricInput fabric;
  fabric.graph = std::make_unique<Graph>(std::move(made.graph));
  if (made.tables)
    fabric.tables = std::make_shared<const ForwardingTables>(std::move(*made.tables));
  fabric.labels = InfinibandLabels(made.names, made.descriptions);
  fabric.names = std::move(made.names);
  fabric.warnings = std::move(made.warnings);
  return fabric;
}

/// A network in DOT with its tables.
FabricInput ReadDot(const std::string& path) {
  const OrcsDot dot(ReadTextFile(path), path);
  TableFabric made = MakeFabric(dot.network(), {});
  FabricInput fabric;
  fabric.graph = std::make_unique<Graph>(std::move(made.graph));
  fabric.tables = std::move(made.tables);
  fabric.names = std::move(made.names);
  for (const std::string& warning : made.warnings) fabric.warnings.push_back(path + ": " + warning);
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
  bool from_dump = false;
  if (IsDotFile(path)) {
    fabric = ReadDot(path);
  } else if (KindOfFile(path) == FileKind::kInfiniband) {
    fabric = ReadInfiniband(path, routing);
    from_dump = fabric.tables != nullptr;
  } else if (KindOfFile(path) == FileKind::kScaleUp) {
    fabric.graph = std::make_unique<Graph>(MakeScaleUpGraph(ReadAstraNetwork(path)));
  } else {
    fabric.graph = std::make_unique<Graph>(
        ReadAs(FileKind::kTopology, path, [&] { return ReadSimaiTopology(path); }));
  }
  if (routing.any() && !from_dump) fabric.tables = TablesFor(routing, *fabric.graph);
  if (fabric.tables && use == TableUse::kChecked)
    UseTables(routing.any() ? routing.source() : path, fabric.tables, fabric.graph.get(),
              &fabric.warnings);
  return fabric;
}

}  // namespace heddle
