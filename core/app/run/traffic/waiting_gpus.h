// SPDX-License-Identifier: GPL-2.0-only
/// Who waits when a run has stalled: no event is left, but programs have not ended.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/mpi/communicator.h"

namespace heddle {

/// How many waiting GPUs or ranks are named.
constexpr std::size_t kMostWaiting = 10;

/// Gathers the lines with the lowest numbers of all ranks, each on a line of its own after a line
/// end, and how many of `open` are not among them; the text is at the root. Collective.
std::string GatherLines(const Communicator& world,
                        const std::vector<std::pair<std::uint32_t, std::string>>& lines,
                        std::int64_t open);

/// Gathers the waiting GPUs with the lowest numbers, of all ranks, one line each, and a cycle of
/// chunks in phases that wait for each other, if there is one; the text is at the root. Collective.
std::string GatherWaiting(const Communicator& world, const FlowCoordinator& coordinator);

}  // namespace heddle
