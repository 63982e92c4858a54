// SPDX-License-Identifier: GPL-2.0-only
/// Alibaba HPN, one plane: rail-optimised, two leaves a rail and segment, one mesh of spines.
///
/// Structure: Qian et al., "Alibaba HPN: A Data Center Network for Large Language Model Training",
/// SIGCOMM 2024, in the extent of SimAI: one pod, no core layer.
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

std::uint32_t HpnSinglePlaneLeaves(const LeafSpineOptions& o) { return 2 * o.gpus_per_server; }

FabricPlan BuildHpnSinglePlane(const LeafSpineOptions& o) {
  WiringBuilder wiring(o, RailSegments(o) * HpnSinglePlaneLeaves(o));
  // The second leaves are numbered after all first ones.
  const std::uint32_t second_leaves = wiring.leaves() / 2;
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, RailLeaf(o, gpu));
    wiring.AddNic(gpu, second_leaves + RailLeaf(o, gpu));
  }
  wiring.AddMesh(0, wiring.leaves(), 0, wiring.spines());
  return wiring.Take();
}

}  // namespace

LeafSpineTemplate AlibabaHpnSinglePlane() {
  LeafSpineOptions defaults;
  defaults.gpus = 15360;
  defaults.bandwidth = "200Gbps";
  defaults.leaf_switches = 240;
  defaults.nics_per_leaf = 128;
  defaults.spine_switches = 120;
  defaults.leaves_per_spine = 240;
  return {"AlibabaHPN-SinglePlane",
          "rail-optimised, two leaves a GPU, all leaves to all spines",
          defaults,
          BuildHpnSinglePlane,
          RailSegments,
          HpnSinglePlaneLeaves,
          1,
          2};
}

}  // namespace heddle
