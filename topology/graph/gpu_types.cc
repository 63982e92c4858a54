// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/gpu_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/options/token_reader.h"

namespace heddle {
const std::vector<GpuType>& GpuTypes() {
  // As reached by kernels, 75 to 82 % of the raw rate. A100: 233 of 300 GB/s measured; H100: 369 of
  // 450; Blackwell: 673 to 695 of 900. A800 and H800 have 2/3 and 4/9 of the links of A100 and
  // H100. H100's is SimAI's rate of any NVLink.
  constexpr std::uint32_t kA100 = 1900, kA800 = 1270, kH800 = 1280, kB200 = 18 * 306;
  static const std::vector<GpuType> kTypes = {{"A100", false, kA100, GpuGeneration::kAmpere},
                                              {"A800", false, kA800, GpuGeneration::kAmpere},
                                              {"H100", true},
                                              {"H800", true, kH800},
                                              {"H20", false},
                                              {"H200", true},
                                              {"B200", true, kB200, GpuGeneration::kBlackwell},
                                              {"B300", true, kB200, GpuGeneration::kBlackwell},
                                              {"GB200", true, kB200, GpuGeneration::kBlackwell},
                                              {"GB300", true, kB200, GpuGeneration::kBlackwell}};
  return kTypes;
}

const GpuType* FindGpuType(const std::string& name) {
  const std::vector<GpuType>& types = GpuTypes();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const GpuType& type) { return name == type.name; });
  return found == types.end() ? nullptr : &*found;
}

const char* ToText(GpuGeneration generation) {
  switch (generation) {
    case GpuGeneration::kAmpere:
      return "Ampere";
    case GpuGeneration::kHopper:
      break;
    case GpuGeneration::kBlackwell:
      return "Blackwell";
  }
  return "Hopper";
}

bool HasNvls(const std::string& gpu_type) {
  const GpuType* type = FindGpuType(gpu_type);
  return type != nullptr && type->has_nvls;
}

GpuGeneration GenerationOf(const std::string& gpu_type) {
  const GpuType* type = FindGpuType(gpu_type);
  return type == nullptr ? GpuGeneration::kHopper : type->generation;
}

std::string GpuTypeNote(const std::string& gpu_type) {
  if (FindGpuType(gpu_type) != nullptr) return "";
  std::string known;
  for (const GpuType& type : GpuTypes())
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  return fmt::format("GPU type {} is not known (known: {}); its NVSwitches do not reduce (NVLS)",
                     Quote(gpu_type), known);
}

}  // namespace heddle
