// SPDX-License-Identifier: GPL-2.0-only
/// How fast GPUs compute: published peaks of types, and the roofline.
///
/// Source: NVIDIA's data sheets: dense bf16 and fp8 with tensor cores (not the doubled figures of
/// sparse matrices), and bandwidth and size of the memory; of GB200 and GB300 a 72nd of what the
/// sheets of NVL72 say. A block takes the longer of operations / (peak x efficiency), those in fp8
/// by their own peak, and bytes / bandwidth. Real kernels reach a part of the peak that depends on
/// their sizes; one efficiency for all is the model's main error, which a table of measured times
/// removes.
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "io/workload_model/layer_work.h"

namespace heddle {

struct GpuSpeed {
  std::string name;
  double teraflops = 0;      ///< dense bf16 [10^12 operations/s]
  double bandwidth = 0;      ///< of the memory [10^9 byte/s]
  double memory = 0;         ///< [10^9 byte]
  double fp8_teraflops = 0;  ///< dense fp8 [10^12 operations/s]; 0: the GPU has no FP8
};

/// SXM and HGX modules and those of NVL72, the oldest first.
const std::vector<GpuSpeed>& KnownGpuSpeeds();

/// What large products of matrices reach of the peak: an assumption, in the middle of what is
/// measured on A100 and H100 (0.5 to 0.75).
constexpr double kUsualEfficiency = 0.6;
/// The same of the peak in FP8, with the casts beside them. Source: DeepSeek's published profile of
/// a training step of DeepSeek-V3 on H800 (deepseek-ai/profile-data), where the experts' products
/// of the forward pass, 3.25 x 10^12 operations, take 4.25 to 5.18 ms on 112 of 132
/// multiprocessors: 0.37 to 0.46 of their peak.
constexpr double kUsualFp8Efficiency = 0.4;

/// Rounded up to the nanosecond; 0 for no work. Requires a GPU with FP8 for work in it. Throws
/// UserError above 11 days, which a workload file cannot hold.
Time RooflineTime(const Work& work, const GpuSpeed& gpu, double efficiency,
                  double fp8_efficiency = kUsualFp8Efficiency);

}  // namespace heddle
