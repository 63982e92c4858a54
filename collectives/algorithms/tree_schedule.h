// SPDX-License-Identifier: GPL-2.0-only
/// AllReduce by trees: chains within servers, two binary trees between them.
///
/// Source: NCCL's tree algorithm; Sanders et al. 2009 (double_binary_tree.h). Each local rank l
/// gives a channel (one server) or two, one a binary tree: in every server a chain that begins at
/// local rank l, its head, and takes the others in turn; heads are joined over the servers. So
/// every GPU is a head of its own channels, and every NIC has the same to do if all servers have as
/// many ranks.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_TREE_SCHEDULE_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_TREE_SCHEDULE_H_

#include <memory>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SpanningTrees;

/// The trees alone; channel 2 l + t is that of local rank l over binary tree t (one server: channel
/// l).
std::unique_ptr<SpanningTrees> MakeChainTrees(const GroupShape& shape);

/// AllReduce of `bytes` over a group of at least two; `shape` must outlive it.
std::unique_ptr<Schedule> MakeTreeSchedule(std::int64_t bytes, const GroupShape& shape,
                                           const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_TREE_SCHEDULE_H_
