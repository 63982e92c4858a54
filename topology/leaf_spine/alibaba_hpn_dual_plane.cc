// SPDX-License-Identifier: GPL-2.0-only
/// Alibaba HPN, two planes: first leaves connect to the first half of the spines, second leaves to
/// the other half.
///
/// Structure: Qian et al., "Alibaba HPN: A Data Center Network for Large Language Model Training",
/// SIGCOMM 2024, in the extent of SimAI: one pod, no core layer.
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

std::uint32_t HpnDualPlaneLeaves(const LeafSpineOptions& o) { return 2 * o.gpus_per_server; }

FabricPlan BuildHpnDualPlane(const LeafSpineOptions& o) {
  WiringBuilder wiring(o, RailSegments(o) * HpnDualPlaneLeaves(o));
  // The second leaves are numbered after all first ones.
  const std::uint32_t second_leaves = wiring.leaves() / 2;
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, RailLeaf(o, gpu));
    wiring.AddNic(gpu, second_leaves + RailLeaf(o, gpu));
  }
  const std::uint32_t second_spines = wiring.spines() / 2;
  wiring.AddMesh(0, second_leaves, 0, second_spines);
  wiring.AddMesh(second_leaves, wiring.leaves(), second_spines, wiring.spines());
  return wiring.Take();
}

}  // namespace

LeafSpineTemplate AlibabaHpnDualPlane() {
  LeafSpineOptions defaults;
  defaults.gpus = 15360;
  defaults.bandwidth = "200Gbps";
  defaults.leaf_switches = 240;
  defaults.nics_per_leaf = 128;
  defaults.spine_switches = 120;
  defaults.leaves_per_spine = 120;
  return {"AlibabaHPN-DualPlane",
          "rail-optimised, two leaves a GPU in two planes that never meet",
          defaults,
          BuildHpnDualPlane,
          RailSegments,
          HpnDualPlaneLeaves,
          2,
          2};
}

}  // namespace heddle
