// SPDX-License-Identifier: GPL-2.0-only
/// Options of the collectives: algorithm, protocol, and latency of a message before it starts.
#ifndef HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_
#define HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_

#include <string>

#include "collectives/phased/phased_options.h"
#include "collectives/schedule/chunk_options.h"
#include "core/base/units.h"

namespace heddle {

class OptionSet;

/// Value of algorithm.*: ring or tree, or ring or PAT, by NCCL's prediction.
inline constexpr const char* kFastestAlgorithm = "fastest";

struct CollectiveOptions : ChunkOptions {
  /// auto, fastest, or the name of an algorithm for the operation
  /// (algorithm_table.h).
  std::string allreduce = "auto", allgather = "auto", reducescatter = "auto";
  /// auto, none, ll, ll128, simple, or two of the last three: "ll+simple".
  std::string protocol = "auto";
  /// send_lat: AS_SEND_LAT before every message; nccl: NCCL's base and hardware latencies.
  std::string latency = "send_lat";
  /// message: one for each message; lasting: one for each channel, peer and communicator.
  std::string connections = "message";
  bool nvls = false;                ///< AS_NVLS_ENABLE
  std::string nvls_form = "simai";  ///< of NVLS within a server: simai or multimem
  bool pxn = false;                 ///< AS_PXN_ENABLE
  PhasedOptions phased;
  /// AS_SEND_LAT; follows the transport's option flow.send_latency.
  Time send_latency = MicroSeconds(6);

  bool lasting() const { return connections == "lasting"; }

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_
