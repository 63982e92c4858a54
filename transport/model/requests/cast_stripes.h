// SPDX-License-Identifier: GPL-2.0-only
/// CAST's striping: all queue pairs share a request by weight, if it is large enough.
///
/// Source: Broadcom's CAST white paper, figure 2, and RCCL's net_ib_cast/p2p.cc. A request of S
/// bytes on n queue pairs is shared if S / n >= cast.split_min, in equal parts while weights are
/// not known. A smaller one goes to one queue pair: by tokens with cast.wrr, else in turn.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/cast_tokens.h"
#include "transport/model/requests/equal_stripes.h"
#include "transport/model/requests/queue_pairs_in_turn.h"
#include "transport/model/requests/request_scheme.h"
#include "transport/model/requests/request_split.h"

namespace heddle {

class CastStripes final {
 public:
  static constexpr RequestSchemeTraits kTraits = {
      "cast-stripe",    "all queue pairs share each request, in parts by measured round trips",
      /*divides=*/true, /*alternates=*/true,
      /*splits=*/true,  /*measures=*/true};

  explicit CastStripes(const RequestSchemeSettings& settings)
      : equal_(settings), settings_(settings) {}

  /// Shares the request by weight, in equal parts, or gives it to one queue pair, as described
  /// above. Its completions are samples if the connection has several queue pairs.
  bool Divide(ConnectionState* state, std::int64_t bytes, std::vector<RequestShare>* shares) const {
    if (!IsSplit(bytes, state->size(), settings_.split_min)) {
      return settings_.by_token ? CastTokens::Divide(state, bytes, shares)
                                : QueuePairsInTurn::Divide(state, bytes, shares);
    }
    if (state->has_weights()) {
      const auto part_of = [&](std::uint32_t queue_pair) {
        return WeightedPart(bytes, state->weight(queue_pair), settings_.probe);
      };
      PostStripe(state, bytes, settings_.moves, part_of, shares);
    } else {
      equal_.Divide(state, bytes, shares);
    }
    return state->size() > 1;
  }

 private:
  EqualStripes equal_;  ///< before weights are known
  RequestSchemeSettings settings_;
};

}  // namespace heddle
