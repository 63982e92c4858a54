// SPDX-License-Identifier: GPL-2.0-only
/// Striping: all queue pairs share each request, in equal parts.
///
/// Source: NCCL's net_ib.cc with NCCL_IB_SPLIT_DATA_ON_QPS=1; the parts,
/// transport/model/requests/request_split.h.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/request_scheme.h"
#include "transport/model/requests/request_split.h"

namespace heddle {

/// Divides a request over the queue pairs, from the one whose turn it is: each gets part_of(queue
/// pair) bytes while enough are left, the last one the rest. `moves`: the next stripe begins with
/// the next queue pair.
template <class PartOf>
void PostStripe(ConnectionState* state, std::int64_t bytes, bool moves, const PartOf& part_of,
                std::vector<RequestShare>* shares) {
  const std::uint32_t size = state->size();
  std::int64_t left = bytes;
  std::uint32_t queue_pair = state->next();
  for (std::uint32_t i = 0; i < size && left > 0; ++i) {
    const std::int64_t wanted = i + 1 == size ? left : part_of(queue_pair);
    const std::int64_t part = wanted < left ? wanted : left;
    left -= part;
    if (part > 0) shares->push_back({queue_pair, false, part});
    queue_pair = queue_pair + 1 == size ? 0 : queue_pair + 1;
  }
  if (moves) state->TakeTurn();
}

class EqualStripes final {
 public:
  static constexpr RequestSchemeTraits kTraits = {
      "stripe",         "all queue pairs share each request, in equal parts",
      /*divides=*/true, /*alternates=*/true,
      /*splits=*/true,  /*measures=*/false};

  explicit EqualStripes(const RequestSchemeSettings& settings) : moves_(settings.moves) {}
  /// Shares the request in equal parts of whole 128 bytes. Returns false: completions are no
  /// samples.
  bool Divide(ConnectionState* state, std::int64_t bytes, std::vector<RequestShare>* shares) const {
    const std::int64_t part = EqualPart(bytes, state->size());
    PostStripe(
        state, bytes, moves_, [part](std::uint32_t) { return part; }, shares);
    return false;
  }

 private:
  bool moves_;  ///< each stripe begins with the next queue pair
};

}  // namespace heddle
