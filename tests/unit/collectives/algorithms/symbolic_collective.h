// SPDX-License-Identifier: GPL-2.0-only
/// Symbolic execution of a schedule: tests that every message is sent once, and that every rank
/// ends with the data that the operation defines.
///
/// Runs the schedule as the simulator does (Begin, After, ParentCount, AfterSent, NextInTurn), in
/// any order of departures and arrivals. Also checks: ForEach lists exactly the messages that are
/// sent; Parents and Predecessors are the inverse of After and AfterSent, and PreviousInTurn that
/// of NextInTurn; schedules read only the names of messages; CountsOf and flow_count are correct;
/// no message waits for itself.
///
/// A PXN message that follows another (kPxnInit, then kPxnNet, then kPxnFinal) forwards its data
/// and does not change the buffers of the GPU between. In an AllToAll, offsets are those of the
/// sender's buffer, and a kPxnNet message may carry the same slice of several ranks: its offset is
/// the slice's, its bytes are those of all copies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// Returns the first few errors; empty if there are none. `shuffle_seed` 0: messages in order of
/// issue; otherwise a random order from this seed. Up to kMaxSymbolicRanks ranks.
std::vector<std::string> FindFaults(const Schedule& schedule, const CollectiveSpec& spec,
                                    const GroupShape& shape, std::uint64_t shuffle_seed);

/// Adds a GoogleTest failure for each error found.
void CheckSchedule(const Schedule& schedule, const CollectiveSpec& spec, const GroupShape& shape,
                   std::uint64_t shuffle_seed = 0);

/// "PXN_NET channel 0 chunk 3: 5 -> 9".
std::string Describe(const GroupFlow& flow);

}  // namespace heddle
