// SPDX-License-Identifier: GPL-2.0-only
/// Spectrum-X: rail-optimised, one leaf a rail and segment.
///
/// GPUs with the same local index share a leaf (a rail); leaves and spines are a full mesh.
#include "topology/leaf_spine/wiring.h"

namespace heddle {
namespace {

std::uint32_t SpectrumXLeaves(const LeafSpineOptions& o) { return o.gpus_per_server; }

FabricPlan BuildSpectrumX(const LeafSpineOptions& o) {
  WiringBuilder wiring(o, RailSegments(o) * SpectrumXLeaves(o));
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, RailLeaf(o, gpu));
  }
  wiring.AddMesh(0, wiring.leaves(), 0, wiring.spines());
  return wiring.Take();
}

}  // namespace

LeafSpineTemplate SpectrumX() {
  LeafSpineOptions defaults;
  defaults.gpus = 4096;
  return {"Spectrum-X",
          "rail-optimised, one leaf a GPU",
          defaults,
          BuildSpectrumX,
          RailSegments,
          SpectrumXLeaves,
          1,
          1};
}

}  // namespace heddle
