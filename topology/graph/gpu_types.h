// SPDX-License-Identifier: GPL-2.0-only
/// The GPU types that a topology may name, and what is derived from them: whether the NVSwitches of
/// their servers reduce (NVLS), and the rate of their NVLinks in a generated fabric.
///
/// Source: SimAI's MockNcclGroup.cc for A100, A800, H100 and H800; NCCL (NVLS needs compute
/// capability 9.0 and an NVSwitch) for the others. H20 has no NVLS here, as in SimAI, which takes
/// it for an A100. NVLink 5 of Blackwell: NVIDIA's 1.8 TB/s are the sum of both directions, 18
/// links of 50 GB/s in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// A generation of GPUs, as far as NCCL's constants differ by it.
enum class GpuGeneration : std::uint8_t { kAmpere, kHopper, kBlackwell };
/// Returns "Ampere", "Hopper" or "Blackwell".
const char* ToText(GpuGeneration generation);

struct GpuType {
  const char* name;       ///< as in a topology's header; letters count as they are
  bool has_nvls = false;  ///< NVSwitches of its servers reduce and copy
  /// What kernels reach over all NVLinks of a GPU, each direction [Gbps]; 0: SimAI's rate, 2880.
  std::uint32_t nvlink_gbps = 0;
  GpuGeneration generation = GpuGeneration::kHopper;

  /// Whether SimAI's generator knows it. It gives all of these 2880 Gbps.
  bool is_of_simai() const { return generation != GpuGeneration::kBlackwell; }
};

/// Returns all known types.
const std::vector<GpuType>& GpuTypes();

/// Finds a type by name; null for unknown types.
const GpuType* FindGpuType(const std::string& name);

/// Whether groups of this type may use NVLS; false for unknown types.
bool HasNvls(const std::string& gpu_type);

/// Returns the generation of a type; Hopper for unknown types.
GpuGeneration GenerationOf(const std::string& gpu_type);

/// Returns a note to the user that names the known types; empty for a known type.
std::string GpuTypeNote(const std::string& gpu_type);

}  // namespace heddle
