// SPDX-License-Identifier: GPL-2.0-only
/// Options of the collectives: algorithm, protocol, and latency of a message before it starts.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/hardware/hardware_options.h"
#include "collectives/phased/phased_options.h"
#include "collectives/schedule/chunk_options.h"
#include "core/base/units.h"
#include "core/chakra/chakra_options.h"
#include "core/options/simai_version.h"
#include "core/traffic/workload.h"

namespace heddle {

class OptionSet;

/// Values of algorithm.choice.
inline constexpr const char* kSimcclChoice = "simccl";
inline constexpr const char* kNcclChoice = "nccl";

struct CollectiveOptions : ChunkOptions {
  /// simccl: by GPU type, kind of group and size of group; nccl: by NCCL's tuner.
  std::string choice = kSimcclChoice;
  /// auto, fastest, names of algorithms for the operation, or a file (algorithm_list.h); of
  /// AllToAll auto or a file.
  std::string allreduce = "auto", allgather = "auto", reducescatter = "auto", alltoall = "auto";
  /// auto, none, ll, ll128, simple, or two of the last three: "ll+simple".
  std::string protocol = "auto";
  /// send_lat: AS_SEND_LAT before every message; nccl: the base and hardware latencies of NCCL's
  /// tuner; hardware: those of the GPUs and NICs (kernel_times.h).
  std::string latency = "send_lat";
  HardwareOptions hardware;
  /// message: one for each message; lasting: one for each channel, peer and communicator.
  std::string connections = "message";
  bool nvls = false;                ///< AS_NVLS_ENABLE
  std::string nvls_form = "simai";  ///< of NVLS within a server: simai or multimem
  bool pxn = false;                 ///< AS_PXN_ENABLE
  bool pat = true;       ///< automatic choices may take PAT (NCCL_PAT_ENABLE other than 0)
  bool collnet = false;  ///< NCCL's tuner knows CollNet (NCCL_COLLNET_ENABLE)
  std::int64_t collnet_servers = 2;  ///< fewest servers for CollNet (NCCL_COLLNET_NODE_THRESHOLD)
  /// Collectives that differ from the one before them begin at multiples of it; 0: at any time.
  Time window;
  PhasedOptions phased;
  ChakraOptions chakra;
  /// AS_SEND_LAT; follows the transport's option flow.send_latency.
  Time send_latency = MicroSeconds(6);
  bool send_latency_given = false;          ///< by the user
  SimaiVersion simai = SimaiVersion::k1_6;  ///< follows the transport's option compat.simai

  /// The value of algorithm.* for an operation; auto for those without such an option.
  const std::string& AlgorithmOf(Operation operation) const;
  bool as_nccl() const { return choice == kNcclChoice; }      ///< NCCL's tuner chooses
  bool by_hardware() const { return latency == "hardware"; }  ///< latencies of kernel_times.h
  /// Rate of a GPU's NICs that NCCL's tuner assumes [byte/s]; 0: its own, not the fabric's.
  double nic_rate() const { return by_hardware() ? hardware.figures().nics : 0; }
  /// Whether messages wait for the latencies of SimAI 1.7's table.
  bool by_simai_table() const {
    return latency == "send_lat" && simai == SimaiVersion::k1_7 && !send_latency_given;
  }
  /// Whether messages have no protocol of NCCL's, whatever the algorithm.
  bool plain() const { return protocol == "none" || (protocol == "auto" && latency == "send_lat"); }
  bool lasting() const { return connections == "lasting"; }  ///< connections outlive their messages

  /// Declares the keys of collectives and of the parts; `options` writes to this, which must
  /// outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
