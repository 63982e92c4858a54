// SPDX-License-Identifier: GPL-2.0-only
/// NVLS within one server: NVSwitches reduce and copy.
///
/// Source: SimAI's MockNcclGroup.cc (genAllreduceNVLSFlowModels): every rank sends each of 4 pieces
/// to the NVSwitch, the next when one has left, and receives the sum of each piece from it. With
/// several NVSwitches each serves one channel, a share of the data; SimAI sends everything to each
/// of them. ReduceScatter and AllGather: gather_scatter_trees.h; the NVSwitch of a rank's place
/// carries the rank's slice.
#pragma once

#include <memory>
#include <string>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

class SpanningTrees;

/// Returns why NVLS cannot serve a group: a GPU shares no NVSwitch with the group's other GPUs of
/// its server. Empty: it can.
std::string WhyNoNvls(const GroupShape& shape);

/// Makes the trees only; they are stars: NVSwitch k is the root of channel k. Requires one server
/// with NVSwitches.
std::unique_ptr<SpanningTrees> MakeNvlsStars(const GroupShape& shape);

/// Makes the schedule of kAllReduce, kAllGather or kReduceScatter. Requires at least two ranks in
/// one server; `shape` must outlive the schedule.
std::unique_ptr<Schedule> MakeNvlsSchedule(Operation operation, std::int64_t bytes,
                                           const GroupShape& shape, const ChunkOptions& options);

}  // namespace heddle
