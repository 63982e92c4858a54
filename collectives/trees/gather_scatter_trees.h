// SPDX-License-Identifier: GPL-2.0-only
/// AllGather and ReduceScatter over spanning trees: every rank's slice uses the tree of the rank's
/// own channel.
///
/// Slice r of n is [floor(r B / n), floor((r + 1) B / n)) of the buffer. The channel of its owner,
/// rank r, is the rank's place in its server modulo the channels. AllGather: the owner sends its
/// slice to its neighbours in the tree, and every participant forwards it to its other neighbours,
/// so each participant gets each slice once. ReduceScatter runs backwards, towards the owner: each
/// participant adds its own data and sends once, when all its other neighbours have sent.
/// This takes n slices of (ranks + NVSwitches - 1) messages a piece: n times as many as if slices
/// were gathered first and then sent as one, but nothing is sent twice and no participant waits for
/// slices that it does not need.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/schedule/pieces.h"
#include "collectives/schedule/schedule.h"
#include "collectives/trees/spanning_trees.h"

namespace heddle {

/// Makes the schedule of kAllGather or kReduceScatter. Each slice has `pieces`; a sender that waits
/// for no arrival has `in_flight` of them on the link to a peer; both >= 1. Piece p of owner r is
/// chunk p * n + r.
std::unique_ptr<Schedule> MakePartTrees(Operation operation, std::unique_ptr<SpanningTrees> trees,
                                        std::int64_t bytes, std::uint32_t pieces,
                                        std::uint32_t in_flight);

}  // namespace heddle
