// SPDX-License-Identifier: GPL-2.0-only
/// Weighted round robin of whole requests: each costs a token of its queue pair.
///
/// Source: RCCL, net_ib_cast/scheduler.cc. With N tokens a round and the weight w, a queue pair is
/// allowed round(N w) of them, at least one; a fraction of exactly one half is rounded down. Queue
/// pairs with tokens take turns. When all tokens are used, everyone gets what it is allowed.
/// Invariant: after ComputeWeights() and AllowTokens(), a token can always be taken.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/model/requests/connection_state.h"

namespace heddle {

/// Sets what the weights allow from the next round on, with N = `tokens`. `clamp`: no queue pair
/// keeps more than that in this round.
void AllowTokens(std::int64_t tokens, bool clamp, std::vector<PairState>* pairs);

/// Takes a token of the first queue pair from `*turn` on that has one. Returns that queue pair, and
/// moves the turn to the one after it.
std::uint32_t TakeToken(std::vector<PairState>* pairs, std::uint32_t* turn);

}  // namespace heddle
