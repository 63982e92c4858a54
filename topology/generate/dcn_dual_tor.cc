// SPDX-License-Identifier: GPL-2.0-only
/// A classic data centre with a second leaf for every GPU.
///
/// Consecutive GPUs fill a pair of leaves; leaves and spines are a full mesh. SimAI: DCN+ --dt.
#include "topology/generate/wiring.h"

namespace heddle {
namespace {

std::uint32_t LeavesPerSegment(const TemplateOptions& /*options*/) { return 2; }

Wiring Build(const TemplateOptions& o) {
  WiringBuilder wiring(o, PlainSegments(o) * LeavesPerSegment(o));
  const std::uint32_t second_leaves = wiring.asws() / 2;  // the second leaves follow all first ones
  for (std::uint32_t gpu = 0; gpu < wiring.gpus(); ++gpu) {
    wiring.AddNvLinks(gpu);
    wiring.AddNic(gpu, gpu / o.nics_per_asw);
    wiring.AddNic(gpu, second_leaves + gpu / o.nics_per_asw);
  }
  wiring.AddMesh(0, wiring.asws(), 0, wiring.psws());
  return wiring.Take();
}

}  // namespace

Template DcnDualTor() {
  TemplateOptions defaults;
  defaults.gpus = 512;
  defaults.bandwidth = "200Gbps";
  defaults.nics_per_asw = 128;
  defaults.psw_switches = 8;
  defaults.asws_per_psw = 8;
  return {"DCN-DualToR",
          "two leaves for all GPUs of a server",
          defaults,
          Build,
          PlainSegments,
          LeavesPerSegment,
          1,
          2};
}

}  // namespace heddle
