// SPDX-License-Identifier: GPL-2.0-only
/// Makes the schedule of a collective whose algorithm has been chosen.
#pragma once

#include <memory>

#include "collectives/schedule/chunk_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// Throws UserError if pairs of ranks exchange different numbers of bytes, which only direct
/// messages without PXN can.
void RequireServesPairs(const CollectiveSpec& spec, const AlgorithmChoice& choice);

/// Makes the schedule; `shape` must outlive it. Returns null if there is nothing to send (a group
/// of one). Throws as RequireServesPairs().
std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const ChunkOptions& options);

}  // namespace heddle
