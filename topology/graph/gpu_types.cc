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
  static const std::vector<GpuType> kTypes = {{"A100", false},
                                              {"A800", false},
                                              {"H100", true},
                                              {"H800", true},
                                              {"H20", false},
                                              {"B200", true, kNvLink5Gbps},
                                              {"GB200", true, kNvLink5Gbps}};
  return kTypes;
}

bool HasNvls(const std::string& gpu_type) {
  const GpuType* type = Find(gpu_type);
  return type != nullptr && type->has_nvls;
}

std::uint32_t NvLinkGbps(const std::string& gpu_type) {
  const GpuType* type = Find(gpu_type);
  return type == nullptr ? 0 : type->nvlink_gbps;
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
