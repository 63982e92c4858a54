// SPDX-License-Identifier: GPL-2.0-only
/// A classic data centre: all GPUs of a server, and of its neighbours, share one leaf.
///
/// Consecutive GPUs fill a leaf; leaves and spines are a full mesh. SimAI calls it DCN+.
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

std::uint32_t DcnSingleTorLeaves(const LeafSpineOptions& /*options*/) { return 1; }

FabricPlan BuildDcnSingleTor(const LeafSpineOptions& o) {
  WiringBuilder wiring(o, PlainSegments(o) * DcnSingleTorLeaves(o));
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, gpu / o.nics_per_leaf);
  }
  wiring.AddMesh(0, wiring.leaves(), 0, wiring.spines());
  return wiring.Take();
}

}  // namespace

LeafSpineTemplate DcnSingleTor() {
  LeafSpineOptions defaults;
  defaults.gpus = 512;
  defaults.spine_switches = 8;
  defaults.leaves_per_spine = 8;
  return {"DCN-SingleToR",
          "one leaf for all GPUs of a server",
          defaults,
          BuildDcnSingleTor,
          PlainSegments,
          DcnSingleTorLeaves,
          1,
          1};
}

}  // namespace heddle
