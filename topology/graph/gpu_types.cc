// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/gpu_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/options/token_reader.h"

namespace heddle {
namespace {

const GpuType* Find(const std::string& name) {
  const std::vector<GpuType>& types = GpuTypes();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const GpuType& type) { return name == type.name; });
  return found == types.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<GpuType>& GpuTypes() {
  constexpr std::uint32_t kNvLink5Gbps = 18 * 400;
  static const std::vector<GpuType> kTypes = {
      {"A100", false, 0, GpuGeneration::kAmpere},
      {"A800", false, 0, GpuGeneration::kAmpere},
      {"H100", true},
      {"H800", true},
      {"H20", false},
      {"H200", true},
      {"B200", true, kNvLink5Gbps, GpuGeneration::kBlackwell},
      {"B300", true, kNvLink5Gbps, GpuGeneration::kBlackwell},
      {"GB200", true, kNvLink5Gbps, GpuGeneration::kBlackwell},
      {"GB300", true, kNvLink5Gbps, GpuGeneration::kBlackwell}};
  return kTypes;
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
  const GpuType* type = Find(gpu_type);
  return type != nullptr && type->has_nvls;
}

std::uint32_t NvLinkGbps(const std::string& gpu_type) {
  const GpuType* type = Find(gpu_type);
  return type == nullptr ? 0 : type->nvlink_gbps;
}

GpuGeneration GenerationOf(const std::string& gpu_type) {
  const GpuType* type = Find(gpu_type);
  return type == nullptr ? GpuGeneration::kHopper : type->generation;
}

std::string GpuTypeNote(const std::string& gpu_type) {
  if (Find(gpu_type) != nullptr) return "";
  std::string known;
  for (const GpuType& type : GpuTypes())
    known += (known.empty() ? "" : ", ") + std::string(type.name);
  return fmt::format("GPU type {} is not known (known: {}); its NVSwitches do not reduce (NVLS)",
                     Quote(gpu_type), known);
}

}  // namespace heddle
