// SPDX-License-Identifier: GPL-2.0-only
/// Scale-up domains: racks of up to 1,024 GPUs on NVLink, joined by leaves and spines.
///
/// Source: NVIDIA's GB200 NVL72, whose 72 GPUs have a link to each of 18 NVSwitches. A rack is a
/// server of the topology file; each of its NVSwitches is linked once to each of its GPUs. A single
/// rack has no other switches. Each leaf belongs to one rack, whose leaves take its GPUs in turn;
/// all leaves are linked to all spines. Not modelled: NVSwitches above NVSwitches.
#include <fmt/format.h>

#include "core/base/check.h"
#include "topology/shapes/families.h"
#include "topology/shapes/leaf_groups.h"
#include "topology/shapes/shape_maker.h"

namespace heddle {
namespace {

constexpr std::uint32_t kMostRackGpus = 1024;

struct ScaleUpOptions {
  std::uint32_t racks = 2;
  std::uint32_t gpus = 0;  ///< 0: as the racks have
  ServerOptions servers;   ///< a rack each
  LeafOptions leaves;

  ScaleUpOptions();
  void Declare(FlagSet* flags);
  void Settle(const std::string& name, const FlagSet& flags);
  FabricPlan Plan(const std::string& name, const FlagSet& flags) const;
  std::vector<std::string> Notes(const std::string& /*name*/) const { return {}; }
  double leaf_ratio() const { return leaves.ratio(); }
};

/// NVL72: 72 GPUs over 18 NVSwitches, at the rate that kernels reach (gpu_types.h); four leaves of
/// 18 NICs a rack.
ScaleUpOptions::ScaleUpOptions() {
  servers.gpus_per_server = 72;
  servers.gpu_type = "GB200";
  servers.nvswitches_per_server = 18;
  servers.nvlink_bandwidth = "306Gbps";
  leaves.nics_per_leaf = 18;
}

void ScaleUpOptions::Declare(FlagSet* flags) {
  FlagSet::About gpus_flag = kGpusFlag;
  gpus_flag.help = "number of GPUs, whole racks (0: -racks counts)";
  flags->AddCount(gpus_flag, &gpus, 0, kMaxNodes);
  flags->AddCount({"racks", "rack_count", "racks, each a domain of NVLink", "racks"}, &racks, 1,
                  kMaxNodes);
  DeclareServers(
      &servers, flags,
      {"gpr", "rack_gpus", "GPUs of a rack, which is a server (-gps too)", "GPUs per rack", "gps"},
      kMostRackGpus);
  leaves.Declare(
      flags, {"sps", "scale_up_spines", "spines above several leaves (0: as needed)", "spines"});
}

/// Sets -racks by the number of GPUs.
void ScaleUpOptions::Settle(const std::string& name, const FlagSet& flags) {
  if (gpus > 0) {
    if (flags.IsGiven("racks")) {
      throw UsageError(name + ": --gpus and -racks. Expected: one of them");
    }
    CheckWholeServers(name, gpus, servers);
    racks = gpus / servers.gpus_per_server;
  }
  SettleLeaves(name, flags, "sps", servers.gpus_per_server, &leaves);
}

FabricPlan ScaleUpOptions::Plan(const std::string& name, const FlagSet& /*flags*/) const {
  CheckNvSwitches(name, servers, "gpr");
  const std::uint32_t rack = servers.gpus_per_server;
  const std::uint64_t all_gpus = std::uint64_t{racks} * rack;
  if (racks == 1 && servers.nvswitches_per_server == 0) {
    RefuseFabric(name, "a single rack without NVSwitches (-nsps 0)",
                 "at least 1 NVSwitch, or more racks (-racks)");
  }
  CheckSize(name, servers, {static_cast<double>(all_gpus), 0, 0, 0});
  const std::uint32_t leaves_of_rack = DivideUp(rack, leaves.nics_per_leaf);
  LeafGroups groups;
  groups.links_of_gpu = racks == 1 ? 0 : 1;
  groups.leaves = racks == 1 ? 0 : racks * leaves_of_rack;
  groups.spines = SpinesOf(name, leaves, servers, groups.leaves, DivideUp(rack, leaves_of_rack));
  return MakeLeafGroups(
      name, static_cast<std::uint32_t>(all_gpus), servers, leaves, groups,
      [&](std::uint32_t gpu, std::uint32_t /*link*/) {
        return gpu / rack * leaves_of_rack + gpu % rack % leaves_of_rack;
      },
      "fewer GPUs a rack (-gpr), NVSwitches (-nsps) or spines (-sps)");
}

}  // namespace

Family ScaleUpFamily() {
  return {"Scale-up domains",
          {Shape("ScaleUp", "racks on NVLink under leaves and spines", ScaleUpOptions())}};
}

}  // namespace heddle
