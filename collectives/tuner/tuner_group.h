// SPDX-License-Identifier: GPL-2.0-only
/// What NCCL's tuner knows of a group of ranks: how many, in how many servers, of what GPUs.
#ifndef HEDDLE_COLLECTIVES_TUNER_TUNER_GROUP_H_
#define HEDDLE_COLLECTIVES_TUNER_TUNER_GROUP_H_

#include <cstdint>
#include <string>

#include "collectives/schedule/group_shape.h"

namespace heddle {

/// Of GPUs, as far as NCCL's constants tell them apart.
enum class GpuGeneration : std::uint8_t { kAmpere, kHopper, kBlackwell };

/// The generation of a GPU type (topology/graph/gpu_types.h); Hopper for unknown types.
GpuGeneration GenerationOf(const std::string& gpu_type);

/// At least one rank in each server.
struct TunerGroup {
  std::uint32_t ranks = 1, servers = 1;
  std::uint32_t fewest_locals = 1;  ///< ranks in the server that has the fewest
  std::uint32_t most_locals = 1;    ///< ranks in the server that has the most
  bool has_nvswitches = true;       ///< all servers have NVSwitches that join the group's ranks
  std::string gpu_type = "H100";

  bool one_server() const { return servers == 1; }
  bool one_gpu_a_server() const { return ranks == servers; }
  /// Whether messages within servers cross NVLinks; else PCIe. Nothing of both with one GPU each.
  bool has_nvlinks() const { return has_nvswitches || one_gpu_a_server(); }
  /// Mean number of ranks in a server.
  double locals() const { return static_cast<double>(ranks) / servers; }
  /// Mean number of other ranks in a rank's server, rounded down as NCCL does.
  double neighbours() const { return static_cast<double>(ranks / servers) - 1; }
};

/// `gpu_type` as in the topology's header.
TunerGroup TunerGroupOf(const GroupShape& shape, const std::string& gpu_type);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_TUNER_TUNER_GROUP_H_
