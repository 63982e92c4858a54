// SPDX-License-Identifier: GPL-2.0-only
/// Alibaba HPN, one plane: rail-optimised, two leaves a rail and segment, one mesh of spines.
///
/// Structure: Qian et al., "Alibaba HPN: A Data Center Network for Large Language Model Training",
/// SIGCOMM 2024, as far as SimAI draws it: one pod, no core layer.
#include "topology/generate/wiring.h"

namespace heddle {
namespace {

std::uint32_t LeavesPerSegment(const TemplateOptions& o) { return 2 * o.gpus_per_server; }

Wiring Build(const TemplateOptions& o) {
  WiringBuilder wiring(o, RailSegments(o) * LeavesPerSegment(o));
  const std::uint32_t second_leaves = wiring.asws() / 2;  // the second leaves follow all first ones
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, RailLeaf(o, gpu));
    wiring.AddNic(gpu, second_leaves + RailLeaf(o, gpu));
  }
  wiring.AddMesh(0, wiring.asws(), 0, wiring.psws());
  return wiring.Take();
}

}  // namespace

Template AlibabaHpnSinglePlane() {
  TemplateOptions defaults;
  defaults.gpus = 15360;
  defaults.bandwidth = "200Gbps";
  defaults.asw_switches = 240;
  defaults.nics_per_asw = 128;
  defaults.psw_switches = 120;
  defaults.asws_per_psw = 240;
  return {"AlibabaHPN-SinglePlane",
          "rail-optimised, two leaves a GPU, all leaves to all spines",
          defaults,
          Build,
          RailSegments,
          LeavesPerSegment,
          1,
          2};
}

}  // namespace heddle
