// SPDX-License-Identifier: GPL-2.0-only
#include "topology/shapes/leaf_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/units.h"
#include "topology/sizes/even_sizes.h"

namespace heddle {

void LeafOptions::Declare(FlagSet* flags, const FlagSet::About& spines_flag) {
  flags->AddCount({"npa", "nics_per_aswitch", "GPU ports of a leaf", "NICs per leaf"},
                  &nics_per_leaf, 1, kMaxPorts);
  flags->AddCount(spines_flag, &spines, 0, kMaxNodes);
  flags->AddLinkValue({"apbw", "ap_bandwidth", "rate leaf-spine", "rate leaf-spine"},
                      FlagSet::Kind::kRate, &leaf_spine_bandwidth);
  flags->AddRatio({"ov", "oversubscription", "ratio at the leaves, from which the spines follow",
                   "oversubscription"},
                  &oversubscription);
}

void SettleLeaves(const std::string& fabric, const FlagSet& flags, const std::string& spines,
                  std::uint32_t members, LeafOptions* o) {
  if (o->oversubscription == kNoRatio) return;
  if (flags.IsGiven(spines)) {
    throw UsageError(fmt::format(
        "{}: --oversubscription and -{}, each of which sets the spines. Expected: one of them",
        fabric, spines));
  }
  if (flags.IsGiven("npa")) return;
  o->nics_per_leaf = DivideUp(members, DivideUp(members, o->nics_per_leaf));
}

std::vector<std::string> NotesOf(const LeafOptions& o, std::uint32_t members,
                                 const std::string& whole) {
  if (o.oversubscription == kNoRatio || members > o.nics_per_leaf) return {};
  return {
      fmt::format("{} is one leaf without cables up, so --oversubscription {} has no effect; a "
                  "lower -npa gives it several",
                  whole, o.oversubscription)};
}

namespace {

/// The better of the two whole numbers of spines next to the exact one.
std::uint32_t SpinesByRatio(const std::string& fabric, const LeafOptions& o, double exact) {
  const double spines = std::max(1.0, std::round(exact));
  const double ratio = exact * o.ratio() / spines;
  if (IsNear(ratio, o.ratio()))
    return static_cast<std::uint32_t>(std::min(spines, 2.0 * kMaxNodes));
  RefuseFabric(fabric,
               fmt::format("{} : 1 (--oversubscription); the nearest that whole spines reach is "
                           "{:.4g} : 1",
                           o.oversubscription, ratio),
               "that ratio, or another -npa, -bw or -apbw");
}

}  // namespace

std::uint32_t SpinesOf(const std::string& fabric, const LeafOptions& o,
                       const ServerOptions& servers, std::uint32_t leaves, std::uint32_t nics) {
  if (leaves <= 1) return 0;
  if (o.spines > 0) return o.spines;
  const auto down = static_cast<double>(ParseBitRate(servers.bandwidth).bps);
  const auto up = static_cast<double>(ParseBitRate(o.leaf_spine_bandwidth).bps);
  if (o.oversubscription != kNoRatio) {
    return SpinesByRatio(fabric, o, nics * down / up / o.ratio());
  }
  // A rate is at most 10^9 times another: CheckSize() refuses what the bound cuts off.
  return static_cast<std::uint32_t>(std::min(std::ceil(nics * down / up), 2.0 * kMaxNodes));
}

FabricPlan MakeLeafGroups(
    const std::string& fabric, std::uint32_t gpus, const ServerOptions& servers,
    const LeafOptions& o, const LeafGroups& groups,
    const std::function<std::uint32_t(std::uint32_t gpu, std::uint32_t link)>& leaf_of,
    const std::string& remedy) {
  const double leaves = 1.0 * groups.groups * groups.leaves;
  CheckSize(fabric, servers,
            {1.0 * gpus, leaves + 1.0 * groups.groups * groups.spines,
             1.0 * gpus * groups.links_of_gpu, leaves * groups.spines});
  const auto first_spine = static_cast<std::uint32_t>(leaves);
  PlanBuilder builder(servers, gpus, first_spine + groups.groups * groups.spines);
  const std::uint8_t type = builder.AddType(o.leaf_spine_bandwidth, servers.latency);
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    builder.AddNvLinks(gpu);
    for (std::uint32_t link = 0; link < groups.links_of_gpu; ++link) {
      builder.AddNic(gpu, leaf_of(gpu, link));
    }
  }
  for (std::uint32_t leaf = 0; leaf < first_spine; ++leaf) {
    const std::uint32_t group = leaf / groups.leaves;
    for (std::uint32_t spine = 0; spine < groups.spines; ++spine) {
      builder.AddCables(leaf, first_spine + group * groups.spines + spine, type);
    }
  }
  FabricPlan plan = builder.Take();
  CheckPorts(plan, fabric, remedy);
  return plan;
}

}  // namespace heddle
