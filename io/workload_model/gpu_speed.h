// SPDX-License-Identifier: GPL-2.0-only
/// How fast GPUs compute: published peaks of types, and the roofline.
///
/// Source: NVIDIA's data sheets: dense bf16 with tensor cores (not the doubled figures of sparse
/// matrices), and bandwidth and size of the memory. A block takes the longer of operations / (peak
/// x efficiency) and bytes / bandwidth. Real kernels reach a part of the peak that depends on their
/// sizes; one efficiency for all is the model's main error, which a table of measured times
/// removes.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "io/workload_model/layer_work.h"

namespace heddle {

struct GpuSpeed {
  std::string name;
  double teraflops = 0;  ///< dense bf16 [10^12 operations/s]
  double bandwidth = 0;  ///< of the memory [10^9 byte/s]
  double memory = 0;     ///< [10^9 byte]
};

/// SXM and HGX modules, the oldest first.
const std::vector<GpuSpeed>& KnownGpuSpeeds();

/// What large products of matrices reach of the peak: an assumption, in the middle of what is
/// measured on A100 and H100 (0.5 to 0.75).
constexpr double kUsualEfficiency = 0.6;

/// Rounded up to the nanosecond; 0 for no work. Throws UserError above 11 days, which a workload
/// file cannot hold.
Time RooflineTime(const Work& work, const GpuSpeed& gpu, double efficiency);

}  // namespace heddle
