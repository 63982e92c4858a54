// SPDX-License-Identifier: GPL-2.0-only
/// Alibaba HPN, two planes: the first leaves reach the first half of the spines, the second the
/// rest.
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
  const std::uint32_t second_spines = wiring.psws() / 2;
  wiring.AddMesh(0, second_leaves, 0, second_spines);
  wiring.AddMesh(second_leaves, wiring.asws(), second_spines, wiring.psws());
  return wiring.Take();
}

}  // namespace

Template AlibabaHpnDualPlane() {
  TemplateOptions defaults;
  defaults.gpus = 15360;
  defaults.bandwidth = "200Gbps";
  defaults.asw_switches = 240;
  defaults.nics_per_asw = 128;
  defaults.psw_switches = 120;
  defaults.asws_per_psw = 120;
  return {"AlibabaHPN-DualPlane",
          "rail-optimised, two leaves a GPU in two planes that never meet",
          defaults,
          Build,
          RailSegments,
          LeavesPerSegment,
          2,
          2};
}

}  // namespace heddle
