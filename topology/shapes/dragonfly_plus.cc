// SPDX-License-Identifier: GPL-2.0-only
/// Dragonfly+: groups of leaves and spines, and cables between the spines of all groups.
///
/// Source: Shpiner et al., "Dragonfly+: Low Cost Topology for Scaling Datacenters", HiPINEB 2017.
/// Every leaf of a group is linked to every spine of it. Leaves have GPUs, spines global links;
/// there are at most spines * links + 1 groups. Switches are numbered group by group, leaves first.
/// global_cables.h has the cables between groups. Not modelled: adaptive routing; routes are
/// shortest paths.
#include <fmt/format.h>

#include "topology/shapes/families.h"
#include "topology/shapes/global_cables.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

struct DragonflyPlusOptions {
  std::uint32_t leaves = 4, spines = 4;  ///< of a group
  DragonflyGroups groups;

  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags);
  GlobalCables Global(const std::string& name) const {
    return FindGlobalCables(name, groups, spines, "-spines, -gl");
  }
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& name) const {
    return NotesOf(name, groups, Global(name));
  }
  double leaf_ratio() const { return 1; }
};

void DragonflyPlusOptions::Declare(FlagSet* flags) {
  flags->AddCount({"leaves", "group_leaves", "leaves of a group", "leaves per group"}, &leaves, 1,
                  kMaxPorts);
  flags->AddCount({"spines", "group_spines", "spines of a group", "spines per group"}, &spines, 1,
                  kMaxPorts);
  groups.Declare(flags);
}

/// A leaf has as many spines as GPUs.
void DragonflyPlusOptions::Settle(const std::string& name, const FlagSet& flags) {
  groups.wish.CheckFlags(name, flags, {"spines"});
  const auto found = groups.Settle(name, flags, true, flags.IsGiven("leaves") ? leaves : 0);
  if (!found) return;
  leaves = found->routers;
  spines = found->gpus_per_router;
  groups.wish.answer = fmt::format("-leaves {} -spines {} -gl {} -p {} -groups {}", leaves, spines,
                                   found->global_links, found->gpus_per_router, found->groups);
}

FabricPlan DragonflyPlusOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  const GlobalCables global = Global(name);
  const double all_leaves = 1.0 * global.groups * leaves;
  const double gpus = all_leaves * groups.gpus_per_router;
  const ServerOptions servers =
      ServersOfRouters(name, groups.servers, groups.gpus_per_router, gpus, "p");
  CheckSize(name, servers,
            {gpus, all_leaves + 1.0 * global.groups * spines, gpus,
             all_leaves * spines + global.cables()});
  const std::vector<std::string> rate_of =
      RatesOf(name, groups.rates, 2, "rates, local and global", servers.bandwidth);

  const std::uint32_t stride = leaves + spines;
  PlanBuilder builder(servers, static_cast<std::uint32_t>(gpus), global.groups * stride);
  const std::uint8_t local_type = builder.AddType(rate_of[0], servers.latency);
  const std::uint8_t global_type = builder.AddType(rate_of[1], groups.latency);
  for (std::uint32_t gpu = 0; gpu < builder.plan().gpus; ++gpu) {
    const std::uint32_t leaf = gpu / groups.gpus_per_router;
    builder.AddNvLinks(gpu);
    builder.AddNic(gpu, leaf / leaves * stride + leaf % leaves);
  }
  for (std::uint32_t group = 0; group < global.groups; ++group) {
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (std::uint32_t spine = 0; spine < spines; ++spine) {
        builder.AddCables(group * stride + leaf, group * stride + leaves + spine, local_type);
      }
    }
  }
  global.Add(leaves, stride, global_type, &builder);
  FabricPlan plan = builder.Take();
  CheckPorts(plan, name,
             "fewer leaves or spines a group (-leaves, -spines), global links (-gl) or GPUs (-p, "
             "-nsps)");
  return plan;
}

DragonflyPlusOptions DragonflyPlusDefaults() {
  DragonflyPlusOptions options;
  options.groups.gpus_per_router = 4;
  options.groups.servers.nvswitches_per_server = 0;
  return options;
}

}  // namespace

Family DragonflyPlusFamily() {
  return {"Dragonfly+",
          {Shape("DragonflyPlus", "groups of leaves and spines", DragonflyPlusDefaults())}};
}

}  // namespace heddle
