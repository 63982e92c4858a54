// SPDX-License-Identifier: GPL-2.0-only
/// NVLS over several servers: NVSwitches within them, binary trees between them.
///
/// Source: the description of SimAI's communication stack, section 2.4; NCCL's NVLS-Tree. There is
/// a channel for each local rank l: in every server local rank l is the channel's head, and the
/// other ranks reach it through an NVSwitch that reduces and copies. Heads are joined over the
/// servers by one of two binary trees (double_binary_tree.h), in turn by channel. The head itself
/// adds its data to the NVSwitch's sum: it sends nothing up, and a server with one rank needs no
/// NVSwitch. In hardware the NVSwitch reads the head's data too: 1/n of a server's upward bytes are
/// omitted here.
#pragma once

#include <memory>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SpanningTrees;

/// Makes the trees only. Channel l uses NVSwitch l of each server, modulo their number. Servers of
/// several ranks need NVSwitches.
std::unique_ptr<SpanningTrees> MakeNvlsTrees(const GroupShape& shape);

/// Makes the schedule of kAllReduce, kAllGather or kReduceScatter (gather_scatter_trees.h).
/// Requires at least two ranks; `shape` must outlive the schedule.
std::unique_ptr<Schedule> MakeNvlsTreeSchedule(Operation operation, std::int64_t bytes,
                                               const GroupShape& shape,
                                               const ChunkOptions& options);

}  // namespace heddle
