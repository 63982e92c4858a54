// SPDX-License-Identifier: GPL-2.0-only
#include "topology/leaf_spine/wiring.h"

namespace heddle {

WiringBuilder::WiringBuilder(const LeafSpineOptions& options, std::uint32_t leaves)
    : leaves_(leaves),
      builder_(options, options.gpus, leaves + options.spine_switches),
      fabric_type_(builder_.AddType(options.leaf_spine_bandwidth, options.latency)) {}

void WiringBuilder::AddMesh(std::uint32_t first_leaf, std::uint32_t end_leaf,
                            std::uint32_t first_spine, std::uint32_t end_spine) {
  for (std::uint32_t leaf = first_leaf; leaf < end_leaf; ++leaf) {
    for (std::uint32_t spine = first_spine; spine < end_spine; ++spine) {
      builder_.AddCables(leaf, leaves_ + spine, fabric_type_);
    }
  }
}

FabricPlan WiringBuilder::Take() {
  FabricPlan plan = builder_.Take();
  plan.tiers.names = {"GPU", "NVSwitch", "leaf", "spine"};
  std::vector<std::uint32_t>& tiers = plan.tiers.of_node;
  tiers.assign(plan.gpus, kGpuTier);
  tiers.resize(tiers.size() + plan.nvswitches, kNvSwitchTier);
  tiers.resize(tiers.size() + leaves_, kLeafTier);
  tiers.resize(plan.nodes(), kLeafTier + 1);
  return plan;
}

}  // namespace heddle
