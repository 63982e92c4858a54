// SPDX-License-Identifier: GPL-2.0-only
/// How much a rank's data structures, other than the backend's, grow during a run: computed from
/// the flows that are open at once and the rows that are kept or written.
#pragma once

#include <cstddef>

#include "core/base/memory_account.h"
#include "transport/run/backends/backend_records.h"

namespace heddle {

/// `rows`: rows of flows kept in memory until the end; `written`: rows of the result, in `cuts` (at
/// least 1) parts.
MemoryAccount GrowthOfOutput(const OpenTraffic& open, double rows, double written, double cuts);

/// Records of collectives, or steps, on one rank that make a flush due: so many stay in memory at
/// most, but for those of the time between two cuts.
constexpr std::size_t kMostUnflushed = 200'000;

/// `collectives`, `steps`: records in memory at once; `shown`: rows of /collectives kept at the end
/// for the summary.
MemoryAccount GrowthOfJobs(double collectives, double steps, double shown);

}  // namespace heddle
