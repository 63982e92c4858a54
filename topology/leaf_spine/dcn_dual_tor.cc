// SPDX-License-Identifier: GPL-2.0-only
/// A classic data centre with a second leaf for every GPU.
///
/// Consecutive GPUs fill a pair of leaves; leaves and spines are a full mesh. SimAI: DCN+ --dt.
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

std::uint32_t DcnDualTorLeaves(const LeafSpineOptions& /*options*/) { return 2; }

FabricPlan BuildDcnDualTor(const LeafSpineOptions& o) {
  WiringBuilder wiring(o, PlainSegments(o) * DcnDualTorLeaves(o));
  // The second leaves are numbered after all first ones.
  const std::uint32_t second_leaves = wiring.leaves() / 2;
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, gpu / o.nics_per_leaf);
    wiring.AddNic(gpu, second_leaves + gpu / o.nics_per_leaf);
  }
  wiring.AddMesh(0, wiring.leaves(), 0, wiring.spines());
  return wiring.Take();
}

}  // namespace

LeafSpineTemplate DcnDualTor() {
  LeafSpineOptions defaults;
  defaults.gpus = 512;
  defaults.bandwidth = "200Gbps";
  defaults.nics_per_leaf = 128;
  defaults.spine_switches = 8;
  defaults.leaves_per_spine = 8;
  return {"DCN-DualToR",
          "two leaves for all GPUs of a server",
          defaults,
          BuildDcnDualTor,
          PlainSegments,
          DcnDualTorLeaves,
          1,
          2};
}

}  // namespace heddle
