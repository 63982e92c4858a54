// SPDX-License-Identifier: GPL-2.0-only
/// Time of PAT by a replay of one rank's messages (pat_rounds.h).
///
/// All ranks begin at once and do the same, so what a rank sends at some time it also receives. A
/// NIC sends one message after the other, in their order. Message i of c_i blocks leaves it at
///
///     t_i = max(t_(i-1), arrival of the last message that it waits for) + c_i b
///
/// and arrives a latency after that. So one piece takes the NIC L, up to its last message; as no
/// message waits for one of another piece, K pieces take K L and the latency once. Of n ranks and
/// one piece that is (n - 1) b + ceil(log2 n) latency if F = A = n / 2, n a power of two.
///
/// Not modelled: NICs of different speeds, contention in the fabric, NICs that send messages to
/// several ranks by turns (as packets do, docs/models/collectives.md).
#ifndef HEDDLE_COLLECTIVES_STEPWISE_PAT_REPLAY_H_
#define HEDDLE_COLLECTIVES_STEPWISE_PAT_REPLAY_H_

#include <cstdint>

#include "collectives/algorithms/pat_rounds.h"

namespace heddle {

/// Seconds from the first message to the last arrival. `block`: time of a piece of a block on a NIC
/// [s]; `latency`: of a message, from the end of its sending to its arrival, and what it waits
/// before it starts [s]. Time O(ranks).
double PatSeconds(const PatRounds& rounds, std::uint32_t pieces, double block, double latency);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_STEPWISE_PAT_REPLAY_H_
