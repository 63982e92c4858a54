// SPDX-License-Identifier: GPL-2.0-only
/// Dragonfly: groups of routers that are all linked to each other, and cables between all groups.
///
/// Source: Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008, with its
/// symbols: a routers of a group, h global links and p GPUs of a router, g groups, at most a h + 1.
/// Routers are numbered group by group. global_cables.h has the cables between groups. The flag of
/// h is -gl, as -h prints help. Routes are shortest paths, or tables (minhop,
/// valiant:a). Not modelled: adaptive routing (UGAL).
#include <fmt/format.h>

#include "topology/shapes/families.h"
#include "topology/shapes/global_cables.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

struct DragonflyOptions {
  std::uint32_t routers = 4;  ///< of a group
  DragonflyGroups groups;

  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags);
  GlobalCables Global(const std::string& name) const {
    return FindGlobalCables(name, groups, routers, "-a, -gl");
  }
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& name) const {
    return NotesOf(name, groups, Global(name));
  }
  double leaf_ratio() const { return 1; }
};

void DragonflyOptions::Declare(FlagSet* flags) {
  flags->AddCount({"a", "group_routers", "routers of a group", "routers per group"}, &routers, 1,
                  kMaxPorts);
  groups.Declare(flags);
}

void DragonflyOptions::Settle(const std::string& name, const FlagSet& flags) {
  const auto found = groups.Settle(name, flags, false, flags.IsGiven("a") ? routers : 0);
  if (!found) return;
  routers = found->routers;
  groups.wish.answer = fmt::format("-a {} -gl {} -p {} -groups {}", routers, found->global_links,
                                   found->gpus_per_router, found->groups);
}

FabricPlan DragonflyOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  const GlobalCables global = Global(name);
  const double switches = 1.0 * global.groups * routers;
  const double gpus = switches * groups.gpus_per_router;
  const ServerOptions servers =
      ServersOfRouters(name, groups.servers, groups.gpus_per_router, gpus, "p");
  CheckSize(name, servers,
            {gpus, switches, gpus, switches * (routers - 1.0) / 2 + global.cables()});
  const std::vector<std::string> rate_of =
      RatesOf(name, groups.rates, 2, "rates, local and global", servers.bandwidth);

  PlanBuilder builder(servers, static_cast<std::uint32_t>(gpus),
                      static_cast<std::uint32_t>(switches));
  const std::uint8_t local_type = builder.AddType(rate_of[0], servers.latency);
  const std::uint8_t global_type = builder.AddType(rate_of[1], groups.latency);
  AddServersInOrder(groups.gpus_per_router, &builder);
  for (std::uint32_t router = 0; router < builder.plan().switches; ++router) {
    const std::uint32_t end = (router / routers + 1) * routers;
    for (std::uint32_t other = router + 1; other < end; ++other) {
      builder.AddCables(router, other, local_type);
    }
  }
  global.Add(0, routers, global_type, &builder);
  FabricPlan plan = builder.Take();
  CheckPorts(plan, name, "fewer routers a group (-a), global links (-gl) or GPUs (-p, -nsps)");
  return plan;
}

DragonflyOptions DragonflyDefaults() {
  DragonflyOptions options;
  options.groups.gpus_per_router = 2;
  options.groups.servers.nvswitches_per_server = 0;
  return options;
}

}  // namespace

Family DragonflyFamily() {
  return {"Dragonfly", {Shape("Dragonfly", "groups of fully linked routers", DragonflyDefaults())}};
}

}  // namespace heddle
