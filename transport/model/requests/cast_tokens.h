// SPDX-License-Identifier: GPL-2.0-only
/// CAST's weighted round robin: each request goes to one queue pair, by a token.
///
/// Source: Broadcom's CAST white paper, figure 3; RCCL's net_ib_cast/scheduler.cc. While weights
/// are not known, queue pairs take turns.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/request_scheme.h"

namespace heddle {

class CastTokens final {
 public:
  static constexpr RequestSchemeTraits kTraits = {
      "cast-wrr",       "each request goes to one queue pair, by tokens that follow round trips",
      /*divides=*/true, /*alternates=*/true,
      /*splits=*/false, /*measures=*/true};

  explicit CastTokens(const RequestSchemeSettings& /*settings*/) {}  ///< reads none
  /// Gives the request to one queue pair. Its completion is a sample if the connection has several.
  static bool Divide(ConnectionState* state, std::int64_t bytes,
                     std::vector<RequestShare>* shares) {
    const bool weighed = state->has_weights();
    shares->push_back({weighed ? state->TakeToken() : state->TakeTurn(), false, bytes});
    return state->size() > 1;
  }
};

}  // namespace heddle
