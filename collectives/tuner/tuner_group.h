// SPDX-License-Identifier: GPL-2.0-only
/// What NCCL's tuner knows of a group of ranks: how many, in how many servers, of what GPUs.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/schedule/group_shape.h"
#include "topology/graph/gpu_types.h"

namespace heddle {

/// At least one rank in each server.
struct TunerGroup {
  std::uint32_t ranks = 1, servers = 1;
  std::uint32_t fewest_locals = 1;  ///< ranks in the server that has the fewest
  std::uint32_t most_locals = 1;    ///< ranks in the server that has the most
  bool has_nvswitches = true;       ///< all servers have NVSwitches that join the group's ranks
  std::string gpu_type = "H100";
  double nic_rate = 50;  ///< of a GPU's NICs [GB/s]: SimAI's AS_NET_BW of 400 Gbps

  bool one_server() const { return servers == 1; }            ///< no message crosses the network
  bool one_gpu_a_server() const { return ranks == servers; }  ///< no message stays in a server
  /// Whether messages within servers cross NVLinks; else PCIe. Nothing of both with one GPU each.
  bool has_nvlinks() const { return has_nvswitches || one_gpu_a_server(); }
  /// Mean number of ranks in a server.
  double locals() const { return static_cast<double>(ranks) / servers; }
  /// Mean number of other ranks in a rank's server, rounded down as NCCL does.
  double neighbours() const { return static_cast<double>(ranks / servers) - 1; }
};

/// Makes the tuner's view of a group. `gpu_type` as in the topology's header. `nics`: rate of a
/// GPU's NICs [byte/s]; 0: not known.
TunerGroup TunerGroupOf(const GroupShape& shape, const std::string& gpu_type, double nics = 0);

}  // namespace heddle
