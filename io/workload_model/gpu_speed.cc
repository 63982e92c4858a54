// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/gpu_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace heddle {

const std::vector<GpuSpeed>& KnownGpuSpeeds() {
  static const std::vector<GpuSpeed> gpus = {
      {"A100", 312, 2039, 80, 0},        {"A800", 312, 2039, 80, 0},
      {"H100", 989.4, 3350, 80, 1978.9}, {"H800", 989.4, 3350, 80, 1978.9},
      {"H20", 148, 4000, 96, 296},       {"H200", 989.4, 4800, 141, 1978.9},
      {"B200", 2250, 8000, 180, 4500},   {"GB200", 2500, 8000, 186, 5000},
      {"GB300", 2500, 8000, 279, 5000},
  };
  return gpus;
}

Time RooflineTime(const Work& work, const GpuSpeed& gpu, double efficiency, double fp8_efficiency) {
  double compute = work.operations / (gpu.teraflops * efficiency * 1e3);
  if (work.fp8_operations > 0)
    compute += work.fp8_operations / (gpu.fp8_teraflops * fp8_efficiency * 1e3);
  const double ns = std::max(compute, work.bytes / gpu.bandwidth);
  constexpr double kMostNs = 1e15;
  if (!(ns <= kMostNs))
    throw UserError(fmt::format(
        "a block of {:.3g} operations and {:.3g} bytes takes {:.3g} s. Expected: at most 11 days",
        work.operations + work.fp8_operations, work.bytes, ns * 1e-9));
  return NanoSeconds(static_cast<std::int64_t>(std::ceil(ns)));
}

}  // namespace heddle
