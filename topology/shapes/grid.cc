// SPDX-License-Identifier: GPL-2.0-only
/// Torus, mesh and full mesh of any number of dimensions. Every node is a router with its GPUs,
/// which are a server unless -gps says otherwise.
///
/// Source: Dally and Seitz, "The torus routing chip", Distributed Computing 1, 1986, for k-ary
/// n-cubes; Liao et al., "UB-Mesh: a Hierarchically Localized nD-FullMesh Datacenter Network
/// Architecture", 2025, for the full mesh. Routers are numbered row-major, the first dimension
/// fastest. In a torus a dimension of length 2 has one cable, and one of length 1 none. Routes
/// are shortest paths unless the run asks for tables, such as dimension order (topology/tables).
/// Not modelled: UB-Mesh's switches and backups.
#include <fmt/format.h>

#include <optional>

#include "topology/shapes/families.h"
#include "topology/shapes/shape_maker.h"
#include "topology/sizes/grid_sizes.h"

namespace heddle {
namespace {

using Sizes = std::vector<std::uint32_t>;

struct GridOptions {
  Line line = Line::kRing;
  std::string dims = "4x4x4";
  std::string rates = kNoList;
  std::uint32_t gpus_per_router = 1;
  ServerOptions servers = SingleGpuServers();
  FabricWish wish;

  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags);
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& name) const { return wish.Notes(name); }
  double leaf_ratio() const { return 1; }
};

void GridOptions::Declare(FlagSet* flags) {
  wish.Declare(flags,
               "with -g: GPU ports of a half per cable across the middle (none: as it comes)");
  flags->AddSizes({"dims", "dimensions", "routers in each dimension", "dimensions"}, &dims, 1,
                  kMaxNodes, "4x4x4");
  DeclareRouters(&gpus_per_router, &servers, flags,
                 {"gpn", "node_gpus", "GPUs of a router, each linked to it", "GPUs per node"});
  DeclareRates(&rates, "rate of each dimension, joined by commas, or one (none: -bw)", flags);
}

/// Throws UserError that names numbers of GPUs that have sizes, and the ratio without one asked
/// for.
[[noreturn]] void RefuseGrid(const std::string& name, const FabricWish& wish, GridWish grid) {
  std::string rule = "the longest dimension is at most four times the shortest";
  GridWish free = grid;
  free.has_ratio = false;
  if (const std::optional<GridSizes> even = FindGridSizes(free); grid.has_ratio && even) {
    rule = fmt::format("or no --oversubscription, for {:.4g} : 1 of -dims {}",
                       MiddleRatio(grid.line, *even), fmt::join(even->lengths, "x"));
  }
  wish.RefuseSize(name, grid.size.gpus_per_server, rule, [&](std::uint32_t gpus) {
    grid.size.gpus = gpus;
    return FindGridSizes(grid).has_value();
  });
}

/// Sets -dims and -gpn by the number of GPUs.
void GridOptions::Settle(const std::string& name, const FlagSet& flags) {
  wish.CheckFlags(name, flags, {"dims"});
  SettleServers(flags, &servers);
  if (!wish.is_asked()) return;
  CheckWholeServers(name, wish.gpus, servers);
  GridWish grid;
  grid.size = SizeWishOf(wish, servers);
  grid.line = line;
  grid.has_ratio = wish.oversubscription != kNoRatio;
  grid.dimensions = static_cast<std::uint32_t>(ReadSizes(dims, 1, kMaxNodes).value().size());
  grid.gpus_per_router = flags.IsGiven("gpn") ? gpus_per_router : 0;
  const std::optional<GridSizes> found = FindGridSizes(grid);
  if (!found) RefuseGrid(name, wish, grid);
  dims = fmt::format("{}", fmt::join(found->lengths, "x"));
  gpus_per_router = found->gpus_per_router;
  wish.answer = fmt::format(
      "-dims {} -gpn {}, with {:.2f} GPU ports of a half per cable across the "
      "middle",
      dims, gpus_per_router, MiddleRatio(line, *found));
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
  const Sizes lengths = ReadSizes(dims, 1, kMaxNodes).value();
  double routers = 1, cables = 0;
  for (const double length : lengths) routers *= length;
  for (const double length : lengths) cables += routers / length * CablesOfLine(line, length);
  const double gpus = routers * gpus_per_router;
  const ServerOptions nodes = ServersOfRouters(name, servers, gpus_per_router, gpus, "gpn");
  CheckSize(name, nodes, {gpus, routers, gpus, cables});
  const std::vector<std::string> rate_of =
      RatesOf(name, rates, lengths.size(), "dimensions", nodes.bandwidth);

  PlanBuilder builder(nodes, static_cast<std::uint32_t>(gpus), static_cast<std::uint32_t>(routers));
  std::vector<std::uint8_t> types;
  for (const std::string& rate : rate_of) types.push_back(builder.AddType(rate, nodes.latency));
  AddServersInOrder(gpus_per_router, &builder);
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
