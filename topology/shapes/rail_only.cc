// SPDX-License-Identifier: GPL-2.0-only
/// Rail-only: the GPUs of equal place in their servers share a network, and no cable joins rails.
///
/// Source: Wang et al., "Rail-only: A Low-Cost High-Performance Network for Training LLMs with
/// Trillion Parameters", 2023. A rail is one switch if it has ports for all servers, else leaves
/// and spines. Rails meet on the NVLinks of servers alone, which a GPU does not forward over:
/// collectives over several rails and servers use PXN.
#include <fmt/format.h>

#include <algorithm>

#include "topology/shapes/families.h"
#include "topology/shapes/leaf_groups.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

struct RailOnlyOptions {
  std::uint32_t gpus = 128;
  ServerOptions servers;
  LeafOptions leaves;

  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags) {
    SettleLeaves(name, flags, "spr", DivideUp(gpus, servers.gpus_per_server), &leaves);
  }
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& name) const;
  double leaf_ratio() const { return leaves.ratio(); }
};

void RailOnlyOptions::Declare(FlagSet* flags) {
  flags->AddCount(kGpusFlag, &gpus, 1, kMaxNodes);
  DeclareServers(&servers, flags, kGpusPerServerFlag, kMaxNodes);
  leaves.Declare(flags, {"spr", "rail_spines",
                         "spines of a rail with several leaves (0: as needed)", "spines per rail"});
}

FabricPlan RailOnlyOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  CheckWholeServers(name, gpus, servers);
  CheckNvSwitches(name, servers, "gps");
  const std::uint32_t rails = servers.gpus_per_server;
  if (rails > 1 && servers.nvswitches_per_server == 0) {
    RefuseFabric(name, fmt::format("{} rails (-gps) without NVSwitches (-nsps 0)", rails),
                 "at least 1 NVSwitch per server, as rails meet there alone");
  }
  const std::uint32_t members = gpus / rails;
  LeafGroups groups;
  groups.groups = rails;
  groups.leaves = DivideUp(members, leaves.nics_per_leaf);
  groups.spines =
      SpinesOf(name, leaves, servers, groups.leaves, std::min(members, leaves.nics_per_leaf));
  return MakeLeafGroups(
      name, gpus, servers, leaves, groups,
      [&](std::uint32_t gpu, std::uint32_t /*link*/) {
        return gpu % rails * groups.leaves + gpu / rails / leaves.nics_per_leaf;
      },
      "fewer GPUs a server (-gps), NVSwitches (-nsps) or spines (-spr)");
}

std::vector<std::string> RailOnlyOptions::Notes(const std::string& /*name*/) const {
  std::vector<std::string> notes = NotesOf(leaves, gpus / servers.gpus_per_server, "a rail");
  if (servers.gpus_per_server > 1) notes.push_back(std::string("rail-only: ") + kRailOnlyNote);
  return notes;
}

}  // namespace

Family RailOnlyFamily() {
  return {"Rails without cables between them",
          {Shape("RailOnly", "one network a rail", RailOnlyOptions())}};
}

}  // namespace heddle
