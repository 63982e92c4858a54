// SPDX-License-Identifier: GPL-2.0-only
/// Multi-plane: several networks of leaves and spines beside each other; every GPU has one port of
/// its NIC in each.
///
/// Source: Qian et al., "Alibaba HPN: A Data Center Network for Large Language Model Training",
/// SIGCOMM 2024, for two planes; Zhao et al., "Insights into DeepSeek-V3: Scaling Challenges and
/// Reflections on Hardware for AI Architectures", ISCA 2025, for more. GPU i is in rail i mod
/// rails; the leaves of a rail take its GPUs in order, equally in every plane. A packet stays in
/// the plane in which it left its GPU.
#include <fmt/format.h>

#include <algorithm>

#include "topology/shapes/families.h"
#include "topology/shapes/leaf_groups.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

struct MultiPlaneOptions {
  std::uint32_t gpus = 128, planes = 4, rails = 1;
  ServerOptions servers;
  LeafOptions leaves;

  MultiPlaneOptions();
  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags) {
    SettleLeaves(name, flags, "spp", DivideUp(gpus, rails), &leaves);
  }
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& /*name*/) const { return {}; }
  double leaf_ratio() const { return leaves.ratio(); }
};

/// Four ports of a NIC of 400 Gbps; two servers a leaf.
MultiPlaneOptions::MultiPlaneOptions() {
  servers.bandwidth = "100Gbps";
  leaves.leaf_spine_bandwidth = "100Gbps";
  leaves.nics_per_leaf = 16;
}

void MultiPlaneOptions::Declare(FlagSet* flags) {
  flags->AddCount(kGpusFlag, &gpus, 1, kMaxNodes);
  flags->AddCount({"planes", "plane_count", "planes, each with a port of every GPU", "planes"},
                  &planes, 1, kMaxPorts);
  DeclareServers(&servers, flags, kGpusPerServerFlag, kMaxNodes);
  flags->AddCount({"rails", "rail_count", "rails with leaves of their own; divides -gps", "rails"},
                  &rails, 1, kMaxPorts);
  leaves.Declare(flags,
                 {"spp", "plane_spines", "spines of a plane with several leaves (0: as needed)",
                  "spines per plane"});
}

FabricPlan MultiPlaneOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  CheckWholeServers(name, gpus, servers);
  CheckNvSwitches(name, servers, "gps");
  if (servers.gpus_per_server % rails != 0) {
    RefuseFabric(
        name, fmt::format("{} rails (-rails)", rails),
        fmt::format("a divisor of {}, the GPUs per server (-gps)", servers.gpus_per_server));
  }
  const std::uint32_t members = gpus / rails;
  const std::uint32_t leaves_of_rail = DivideUp(members, leaves.nics_per_leaf);
  LeafGroups groups;
  groups.groups = planes;
  groups.links_of_gpu = planes;
  groups.leaves = rails * leaves_of_rail;
  groups.spines =
      SpinesOf(name, leaves, servers, groups.leaves, std::min(members, leaves.nics_per_leaf));
  return MakeLeafGroups(
      name, gpus, servers, leaves, groups,
      [&](std::uint32_t gpu, std::uint32_t plane) {
        return plane * groups.leaves + gpu % rails * leaves_of_rail +
               gpu / rails / leaves.nics_per_leaf;
      },
      "fewer planes (-planes), GPUs a server (-gps), NVSwitches (-nsps) or spines (-spp)");
}

}  // namespace

Family MultiPlaneFamily() {
  return {"Planes of leaves and spines",
          {Shape("MultiPlane", "a port of every GPU in each plane", MultiPlaneOptions())}};
}

}  // namespace heddle
