// SPDX-License-Identifier: GPL-2.0-only
/// Spectrum-X: rail-optimised, one leaf a rail and segment.
///
/// GPUs with the same local index share a leaf (a rail); leaves and spines are a full mesh.
#include "topology/generate/wiring.h"

namespace heddle {
namespace {

std::uint32_t LeavesPerSegment(const TemplateOptions& o) { return o.gpus_per_server; }

Wiring Build(const TemplateOptions& o) {
  WiringBuilder wiring(o, RailSegments(o) * LeavesPerSegment(o));
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, RailLeaf(o, gpu));
  }
  wiring.AddMesh(0, wiring.asws(), 0, wiring.psws());
  return wiring.Take();
}

}  // namespace

Template SpectrumX() {
  TemplateOptions defaults;
  defaults.gpus = 4096;
  return {"Spectrum-X",
          "rail-optimised, one leaf a GPU",
          defaults,
          Build,
          RailSegments,
          LeavesPerSegment,
          1,
          1};
}

}  // namespace heddle
