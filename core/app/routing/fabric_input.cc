// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/routing/fabric_input.h"

#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "io/astra/astra_network.h"
#include "io/htsim/htsim_fabric.h"
#include "io/htsim/htsim_topology.h"
#include "io/infragraph/infragraph_fabric.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/nccl/nccl_topology.h"
#include "topology/files/orcs_dot.h"
#include "topology/files/simai_topology.h"
#include "topology/infiniband/infiniband_fabric.h"
#include "topology/infiniband_files/forwarding_dump.h"
#include "topology/infiniband_files/ibnetdiscover.h"
#include "topology/load/network_fabric.h"
#include "topology/tables/table_routing.h"

namespace heddle {
namespace {

FabricInput Taken(TableFabric made) {
  FabricInput fabric;
  fabric.graph = std::make_unique<Graph>(std::move(made.graph));
  fabric.tables = std::move(made.tables);
  fabric.names = std::move(made.names);
  fabric.labels = std::move(made.labels);
  fabric.servers = std::move(made.servers);
  const std::vector<std::string>& said = fabric.labels.empty() ? fabric.names : fabric.labels;
  try {
    if (!said.empty()) fabric.graph->SetNames(said);
  } catch (const UserError&) {  // too long for tables, or odd: nodes are called by their places
  }
  fabric.warnings = std::move(made.warnings);
  return fabric;
}

/// An InfiniBand network, with the tables of a subnet manager's dump if one is given.
FabricInput ReadInfiniband(const std::string& path, const RoutingArguments& routing) {
  const InfinibandNetwork network = ParseIbnetdiscover(ReadTextFile(path), path);
  std::optional<ForwardingDump> dump;
  const std::string tables = routing.tables.empty() ? "" : ReadTextFile(routing.tables);
  if (IsForwardingDump(tables)) dump = ParseForwardingDump(tables, routing.tables, network);
  FabricInput fabric = Taken(MakeFabric(network, dump ? &*dump : nullptr, {}));
  fabric.routing_used = dump.has_value();
  fabric.infiniband = true;
  return fabric;
}

/// A network in DOT with its tables.
FabricInput ReadDot(const std::string& path, const RoutingArguments&) {
  const OrcsDot dot(ReadTextFile(path), path);
  FabricInput fabric = Taken(MakeFabric(dot.network(), {}));
  for (std::string& warning : fabric.warnings) warning = path + ": " + warning;
  return fabric;
}

FabricInput OfGraph(Graph graph) {
  FabricInput fabric;
  fabric.graph = std::make_unique<Graph>(std::move(graph));
  return fabric;
}

FabricInput ReadScaleUp(const std::string& path, const RoutingArguments&) {
  AstraFileNote note;
  FabricInput fabric = OfGraph(MakeScaleUpGraph(ReadAstraNetwork(path, &note)));
  fabric.format = note.Text();
  return fabric;
}

FabricInput ReadHtsim(const std::string& path, const RoutingArguments&) {
  HtsimTopology topology = ParseHtsimTopology(ReadTextFile(path), path);
  FabricInput fabric = OfGraph(MakeHtsimGraph(topology));
  fabric.format = ShapeOf(topology).Text();
  fabric.warnings = std::move(topology.warnings);
  return fabric;
}

FabricInput ReadNccl(const std::string& path, const RoutingArguments&) {
  NcclTopology topology = ParseNcclTopology(ReadTextFile(path), path);
  FabricInput fabric = OfGraph(MakeNcclGraph(topology, path));
  fabric.format = "a server's topology of NCCL";
  fabric.warnings = std::move(topology.warnings);
  return fabric;
}

FabricInput ReadInfragraph(const std::string& path, const RoutingArguments&) {
  InfragraphFabric made = MakeInfragraphFabric(ParseInfragraph(ReadTextFile(path), path));
  FabricInput fabric = OfGraph(std::move(made.graph));
  fabric.format = std::move(made.format);
  fabric.warnings = std::move(made.warnings);
  return fabric;
}

FabricInput ReadTopology(const std::string& path, const RoutingArguments&) {
  return OfGraph(ReadSimaiTopology(path));
}

/// A format of networks: the kind of its files, and what reads them. A further format is a row.
struct FabricFormat {
  FileKind kind;
  FabricInput (*read)(const std::string& path, const RoutingArguments& routing);
};
constexpr FabricFormat kFormats[] = {
    {FileKind::kDot, ReadDot},           {FileKind::kInfiniband, ReadInfiniband},
    {FileKind::kScaleUp, ReadScaleUp},   {FileKind::kHtsimTopology, ReadHtsim},
    {FileKind::kNcclTopology, ReadNccl}, {FileKind::kInfraGraph, ReadInfragraph},
    {FileKind::kTopology, ReadTopology}};

/// A file of no known kind is read as a topology, whose reader says what is wrong with it.
const FabricFormat& FormatOf(const std::string& path) {
  const FileKind kind = IsDotFile(path) ? FileKind::kDot : KindOfFile(path);
  for (const FabricFormat& format : kFormats) {
    if (format.kind == kind) return format;
  }
  return kFormats[std::size(kFormats) - 1];
}

}  // namespace

bool IsDotFile(const std::string& path) {
  constexpr std::string_view kEnd = ".dot";
  return KindOfFile(path) == FileKind::kDot ||
         (path.size() > kEnd.size() &&
          path.compare(path.size() - kEnd.size(), kEnd.size(), kEnd) == 0);
}

FabricInput ReadFabric(const std::string& path, const RoutingArguments& routing, TableUse use) {
  const FabricFormat& format = FormatOf(path);
  FabricInput fabric = ReadAs(format.kind, path, [&] { return format.read(path, routing); });
  if (routing.any() && !fabric.routing_used) fabric.tables = TablesFor(routing, *fabric.graph);
  if (fabric.tables && use == TableUse::kChecked)
    UseTables(routing.any() ? routing.source() : path, fabric.tables, fabric.graph.get(),
              &fabric.warnings);
  return fabric;
}

}  // namespace heddle
