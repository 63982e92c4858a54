// SPDX-License-Identifier: GPL-2.0-only
#include "topology/generate/wiring.h"

namespace heddle {

WiringBuilder::WiringBuilder(const LeafSpineOptions& options, std::uint32_t leaves)
    : nvswitches_per_server_(options.nvswitches_per_server), leaves_(leaves) {
  plan_.gpus = options.gpus;
  plan_.nvswitches = options.gpus / options.gpus_per_server * nvswitches_per_server_;
  plan_.switches = leaves + options.spine_switches;
  plan_.gpus_per_server = options.gpus_per_server;
  plan_.gpu_type = options.gpu_type;
  plan_.types = {{options.nvlink_bandwidth, options.nvlink_latency, options.error_rate},
                 {options.bandwidth, options.latency, options.error_rate},
                 {options.leaf_spine_bandwidth, options.latency, options.error_rate}};
  plan_.tiers.names = {"GPU", "NVSwitch", "leaf", "spine"};
  std::vector<std::uint32_t>& tiers = plan_.tiers.of_node;
  tiers.assign(plan_.gpus, kGpuTier);
  tiers.resize(tiers.size() + plan_.nvswitches, kNvSwitchTier);
  tiers.resize(tiers.size() + leaves, kLeafTier);
  tiers.resize(tiers.size() + options.spine_switches, kLeafTier + 1);
}

void WiringBuilder::AddNvLinks(std::uint32_t gpu) {
  const std::uint32_t first = plan_.gpus + gpu / plan_.gpus_per_server * nvswitches_per_server_;
  for (std::uint32_t j = 0; j < nvswitches_per_server_; ++j) {
    plan_.cables.push_back({gpu, first + j, kNvLink});
  }
}

void WiringBuilder::AddNic(std::uint32_t gpu, std::uint32_t leaf) {
  plan_.cables.push_back({gpu, leaf_id(leaf), kNic});
}

void WiringBuilder::AddMesh(std::uint32_t first_leaf, std::uint32_t end_leaf,
                            std::uint32_t first_spine, std::uint32_t end_spine) {
  for (std::uint32_t leaf = first_leaf; leaf < end_leaf; ++leaf) {
    for (std::uint32_t spine = first_spine; spine < end_spine; ++spine) {
      plan_.cables.push_back({leaf_id(leaf), leaf_id(leaves_ + spine), kFabric});
    }
  }
}

}  // namespace heddle
