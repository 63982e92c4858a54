// SPDX-License-Identifier: GPL-2.0-only
/// Torus, mesh and full mesh of any number of dimensions. Every node is a router with its GPUs.
///
/// Source: Dally and Seitz, "The torus routing chip", Distributed Computing 1, 1986, for k-ary
/// n-cubes; Liao et al., "UB-Mesh: a Hierarchically Localized nD-FullMesh Datacenter Network
/// Architecture", 2025, for the full mesh. Routers are numbered row-major, the first dimension
/// fastest. In a torus a dimension of length 2 has one cable, and one of length 1 none. Routes
/// are shortest paths unless the run asks for tables, such as dimension order (topology/tables).
/// Not modelled: UB-Mesh's switches and backups.
#include <fmt/format.h>

#include "topology/shapes/families.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

using Sizes = std::vector<std::uint32_t>;

enum class Line : std::uint8_t { kRing, kOpen, kFull };  ///< how a dimension's routers are linked

struct GridOptions {
  Line line = Line::kRing;
  std::string dims = "4x4x4";
  std::string rates = kNoList;
  ServerOptions nodes = SingleGpuServers();

  void Declare(FlagSet* flags);
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes() const { return {}; }
};

void GridOptions::Declare(FlagSet* flags) {
  flags->AddSizes({"dims", "dimensions", "routers in each dimension", "dimensions"}, &dims, 1,
                  kMaxNodes, "4x4x4");
  DeclareServers(&nodes, flags,
                 {"gpn", "node_gpus", "GPUs of a node, each linked to its router", "GPUs per node"},
                 kMaxPorts);
  DeclareRates(&rates, "rate of each dimension, joined by commas, or one (none: -bw)", flags);
}

/// Cables of a line of `length` routers.
double CablesOfLine(Line line, double length) {
  if (line == Line::kFull) return length * (length - 1) / 2;
  return line == Line::kRing && length > 2 ? length : length - 1;
}

/// Adds the cables from router `router`, at `place` in a line, to those after it. Neighbours in the
/// line are `stride` apart.
void AddLine(Line line, std::uint32_t router, std::uint32_t place, std::uint32_t length,
             std::uint32_t stride, std::uint8_t type, PlanBuilder* builder) {
  const std::uint32_t last = line == Line::kFull || place + 1 == length ? length : place + 2;
  for (std::uint32_t other = place + 1; other < last; ++other) {
    builder->AddCables(router, router + (other - place) * stride, type);
  }
  if (line == Line::kRing && length > 2 && place + 1 == length) {
    builder->AddCables(router, router - place * stride, type);
  }
}

FabricPlan GridOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  CheckNvSwitches(name, nodes, "gpn");
  const Sizes lengths = ReadSizes(dims, 1, kMaxNodes).value();
  double routers = 1, cables = 0;
  for (const double length : lengths) routers *= length;
  for (const double length : lengths) cables += routers / length * CablesOfLine(line, length);
  const double gpus = routers * nodes.gpus_per_server;
  CheckSize(name, nodes, {gpus, routers, gpus, cables});
  const std::vector<std::string> rate_of =
      RatesOf(name, rates, lengths.size(), "dimensions", nodes.bandwidth);

  PlanBuilder builder(nodes, static_cast<std::uint32_t>(gpus), static_cast<std::uint32_t>(routers));
  std::vector<std::uint8_t> types;
  for (const std::string& rate : rate_of) types.push_back(builder.AddType(rate, nodes.latency));
  AddServersInOrder(nodes.gpus_per_server, &builder);
  for (std::uint32_t router = 0; router < builder.plan().switches; ++router) {
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < lengths.size(); stride *= lengths[d++]) {
      AddLine(line, router, router / stride % lengths[d], lengths[d], stride, types[d], &builder);
    }
  }
  FabricPlan plan = builder.Take();
  CheckPorts(plan, name, "shorter dimensions (-dims) or fewer GPUs a node (-gpn, -nsps)");
  return plan;
}

GridOptions Defaults(Line line, const std::string& dims) {
  GridOptions options;
  options.line = line;
  options.dims = dims;
  return options;
}

}  // namespace

Family GridFamily() {
  return {"Grids of routers",
          {Shape("Torus", "rings in every dimension", Defaults(Line::kRing, "4x4x4")),
           Shape("Mesh", "open lines in every dimension", Defaults(Line::kOpen, "4x4x4")),
           Shape("FullMesh", "every line fully linked, as UB-Mesh", Defaults(Line::kFull, "4x4"))}};
}

}  // namespace heddle
