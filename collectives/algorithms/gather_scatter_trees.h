// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter over spanning trees: every rank's part takes the tree of the rank's
/// own channel.
///
/// Part r of n is [floor(r B / n), floor((r + 1) B / n)) of the buffer; the channel of its owner,
/// rank r, is its place in its server modulo the channels. AllGather: the owner sends its part to
/// its neighbours in the tree, everybody passes it on to all others: each participant gets each
/// part once. ReduceScatter is the same backwards: towards the owner, each participant adds what it
/// has and sends once, when all its other neighbours have sent.
/// So n parts of (ranks + NVSwitches - 1) messages a piece: n times as many as if parts were
/// gathered first and then sent as one, but nothing is sent twice and no participant waits for
/// parts it need not have.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_GATHER_SCATTER_TREES_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_GATHER_SCATTER_TREES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"
#include "collectives/schedule/spanning_trees.h"

namespace heddle {

/// `operation` is kAllGather or kReduceScatter; `pieces` of each part, of which a sender that waits
/// for nobody has `in_flight` under way to a peer; both >= 1. Chunk k of piece p and owner r: p * n
/// + r.
std::unique_ptr<Schedule> MakePartTrees(Operation operation, std::unique_ptr<SpanningTrees> trees,
                                        std::int64_t bytes, std::uint32_t pieces,
                                        std::uint32_t in_flight);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_GATHER_SCATTER_TREES_H_
