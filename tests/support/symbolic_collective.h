// SPDX-License-Identifier: GPL-2.0-only
/// Symbolic execution of a schedule: does every message happen once, and does everyone end with
/// what the operation promises?
///
/// The schedule is run as the simulator does (Begin, After, ParentCount, AfterSent), in any order
/// of departures and arrivals. What is checked besides the data: ForEach lists exactly what runs;
/// Parents and Predecessors are the inverse of After and AfterSent; only the names of messages are
/// looked at; CountsOf and flow_count are true; nothing waits for itself.
///
/// A PXN message that follows another (kPxnInit, then kPxnNet, then kPxnFinal) hands on what came
/// and leaves the buffers of the GPU between alone. In an AllToAll, offsets are those of the
/// sender's buffer, and a kPxnNet message may carry the same part of several ranks: its offset is
/// the part's, its bytes are those of all copies.
#ifndef HEDDLE_TESTS_SUPPORT_SYMBOLIC_COLLECTIVE_H_
#define HEDDLE_TESTS_SUPPORT_SYMBOLIC_COLLECTIVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/schedule/schedule.h"

namespace heddle {

/// What is wrong, the first few things; empty if nothing. `shuffle_seed` 0: first come, first
/// served; otherwise an order drawn from it. Up to kMaxSymbolicRanks ranks.
std::vector<std::string> FindFaults(const Schedule& schedule, const CollectiveSpec& spec,
                                    const GroupShape& shape, std::uint64_t shuffle_seed);

/// GoogleTest failures for all faults that are found.
void CheckSchedule(const Schedule& schedule, const CollectiveSpec& spec, const GroupShape& shape,
                   std::uint64_t shuffle_seed = 0);

/// "PXN_NET channel 0 chunk 3: 5 -> 9".
std::string Describe(const GroupFlow& flow);

}  // namespace heddle

#endif  // HEDDLE_TESTS_SUPPORT_SYMBOLIC_COLLECTIVE_H_
