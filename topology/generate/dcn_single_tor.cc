// SPDX-License-Identifier: GPL-2.0-only
/// A classic data centre: all GPUs of a server, and of its neighbours, share one leaf.
///
/// Consecutive GPUs fill a leaf; leaves and spines are a full mesh. SimAI calls it DCN+.
#include "topology/generate/wiring.h"

namespace heddle {
namespace {

std::uint32_t LeavesPerSegment(const TemplateOptions& /*options*/) { return 1; }

Wiring Build(const TemplateOptions& o) {
  WiringBuilder wiring(o, PlainSegments(o) * LeavesPerSegment(o));
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, gpu / o.nics_per_asw);
  }
  wiring.AddMesh(0, wiring.asws(), 0, wiring.psws());
  return wiring.Take();
}

}  // namespace

Template DcnSingleTor() {
  TemplateOptions defaults;
  defaults.gpus = 512;
  defaults.psw_switches = 8;
  defaults.asws_per_psw = 8;
  return {"DCN-SingleToR",
          "one leaf for all GPUs of a server",
          defaults,
          Build,
          PlainSegments,
          LeavesPerSegment,
          1,
          1};
}

}  // namespace heddle
