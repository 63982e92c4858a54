// SPDX-License-Identifier: GPL-2.0-only
/// Options of the collectives: which algorithm, which protocol, what a message costs before it
/// starts.
#ifndef HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_
#define HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "core/base/options.h"

namespace heddle {

struct CollectiveOptions {
  std::string allreduce = "auto";      ///< auto, ring, tree, nvls, nvls_tree
  std::string allgather = "auto";      ///< auto, ring, nvls, nvls_tree
  std::string reducescatter = "auto";  ///< auto, ring, nvls, nvls_tree
  std::string protocol =
      "auto";  ///< auto, none, ll, ll128, simple, or two of the last three: "ll+simple"
  std::string latency = "send_lat";  ///< send_lat: AS_SEND_LAT before every message; nccl: NCCL's
                                     ///< base and hardware latencies
  bool nvls = false;                 ///< AS_NVLS_ENABLE
  bool pxn = false;                  ///< AS_PXN_ENABLE
  std::int64_t nvls_chunks = 4;      ///< pieces of an NVLS collective (SimAI: 4)
  std::int64_t chunk_bytes =
      512 * 1024;  ///< pieces of trees and chains: NCCL_BUFFSIZE 4 MiB / 8 steps
  std::int64_t chunks_in_flight =
      2;  ///< pieces of trees and chains that a sender has under way to a peer
  Time send_latency =
      MicroSeconds(6);  ///< AS_SEND_LAT; bound by the transport's option flow.send_latency

  void Declare(OptionSet* options);
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_COLLECTIVE_OPTIONS_H_
