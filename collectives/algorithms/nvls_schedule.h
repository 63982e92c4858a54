// SPDX-License-Identifier: GPL-2.0-only
/// NVLS within one server: NVSwitches reduce and copy.
///
/// Source: SimAI's MockNcclGroup.cc (genAllreduceNVLSFlowModels): every rank sends each of 4 pieces
/// to the NVSwitch, the next when one has left, and gets the sum of each piece from it. With
/// several NVSwitches each has its share of the data, a channel; SimAI sends everything to each of
/// them. ReduceScatter and AllGather: gather_scatter_trees.h; every rank's part goes through the
/// NVSwitch of its place.
#ifndef HEDDLE_COLLECTIVES_ALGORITHMS_NVLS_SCHEDULE_H_
#define HEDDLE_COLLECTIVES_ALGORITHMS_NVLS_SCHEDULE_H_

#include <memory>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SpanningTrees;

/// The stars alone: NVSwitch k is the root of channel k. One server, with NVSwitches.
std::unique_ptr<SpanningTrees> MakeNvlsStars(const GroupShape& shape);

/// `operation` is kAllReduce, kAllGather or kReduceScatter; at least two ranks, in one server;
/// `shape` must outlive it.
std::unique_ptr<Schedule> MakeNvlsSchedule(Operation operation, std::int64_t bytes,
                                           const GroupShape& shape,
                                           const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_ALGORITHMS_NVLS_SCHEDULE_H_
