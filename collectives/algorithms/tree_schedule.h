// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce by trees: chains within servers, two binary trees between them.
///
/// Source: NCCL's tree algorithm; Sanders et al. 2009 (double_binary_tree.h). Each local rank l has
/// one channel (one server) or two, one for each binary tree. In every server a chain begins at
/// local rank l, the channel's head, and visits the other ranks in turn; heads are joined over the
/// servers. So every GPU is a head of its own channels, and all NICs have the same load if all
/// servers have the same number of ranks.
#pragma once

#include <memory>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SpanningTrees;

/// Makes the trees only; channel 2 l + t is that of local rank l over binary tree t (one server:
/// channel l).
std::unique_ptr<SpanningTrees> MakeChainTrees(const GroupShape& shape);

/// Returns the largest piece of a tree [byte]: ChunkOptions::chunk_bytes; with LL128 and small
/// pieces NCCL's, which halves 576,000 bytes while there are few. Source: NCCL 2.30, src/enqueue.cc
/// (calcCollChunking).
std::int64_t TreePiece(std::int64_t bytes, Protocol protocol, const GroupShape& shape,
                       std::uint32_t channels, const ChunkOptions& options);

/// Makes the AllReduce of `bytes` over a group of at least two; `shape` must outlive the schedule.
std::unique_ptr<Schedule> MakeTreeSchedule(std::int64_t bytes, Protocol protocol,
                                           const GroupShape& shape, const ChunkOptions& options);

}  // namespace heddle
