// SPDX-License-Identifier: GPL-2.0-only
/// Round robin: each request goes to one queue pair, the next one each time.
///
/// Source: NCCL's net_ib.cc with NCCL_IB_SPLIT_DATA_ON_QPS=0.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/request_scheme.h"

namespace heddle {

class QueuePairsInTurn final {
 public:
  static constexpr RequestSchemeTraits kTraits = {
      "round-robin",    "each request goes to one queue pair, the next one each time",
      /*divides=*/true, /*alternates=*/true,
      /*splits=*/false, /*measures=*/false};

  explicit QueuePairsInTurn(const RequestSchemeSettings& /*settings*/) {}  ///< reads none
  /// Gives the request to the queue pair whose turn it is. Returns false: completions are no
  /// samples.
  static bool Divide(ConnectionState* state, std::int64_t bytes,
                     std::vector<RequestShare>* shares) {
    shares->push_back({state->TakeTurn(), false, bytes});
    return false;
  }
};

}  // namespace heddle
