// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/gpu_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace heddle {

const std::vector<GpuSpeed>& KnownGpuSpeeds() {
  static const std::vector<GpuSpeed> gpus = {
      {"A100", 312, 2039, 80},   {"A800", 312, 2039, 80}, {"H100", 989.4, 3350, 80},
      {"H800", 989.4, 3350, 80}, {"H20", 148, 4000, 96},  {"H200", 989.4, 4800, 141},
      {"B200", 2250, 8000, 180},
  };
  return gpus;
}

Time RooflineTime(const Work& work, const GpuSpeed& gpu, double efficiency) {
  const double ns =
      std::max(work.operations / (gpu.teraflops * efficiency * 1e3), work.bytes / gpu.bandwidth);
  constexpr double kMostNs = 1e15;
  if (!(ns <= kMostNs))
    throw UserError(fmt::format(
        "a block of {:.3g} operations and {:.3g} bytes takes {:.3g} s. Expected: at most 11 days",
        work.operations, work.bytes, ns * 1e-9));
  return NanoSeconds(static_cast<std::int64_t>(std::ceil(ns)));
}

}  // namespace heddle
