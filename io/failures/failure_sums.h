// SPDX-License-Identifier: GPL-2.0-only
/// What the outages of a run sum up to, and which of them did the most harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/failures/failure_study.h"

namespace heddle {

/// Outages by kind.
struct OutageCounts {
  std::int64_t links = 0, nodes = 0, slow_links = 0;
};
OutageCounts CountOutages(const std::vector<StudiedOutage>& outages);

/// Returns the indices of outages, most harm first: by flows that did not end, the longest wait,
/// flows on it, lost packets; the first of equals first.
std::vector<std::size_t> OutagesByHarm(const std::vector<StudiedOutage>& outages);

/// Returns how long an outage lasted within a run that ended at `end_ps`, over all spells [ps].
std::int64_t TimeOut(const Outage& outage, std::int64_t end_ps);

/// Whether there were outages, and no flow and no packet met one. False if flows are not known.
bool NobodyNoticed(const FailureStudy& study);

}  // namespace heddle
