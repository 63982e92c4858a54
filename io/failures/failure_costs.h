// SPDX-License-Identifier: GPL-2.0-only
/// What outages cost collectives and jobs, of one result alone.
///
/// A collective was held up if one of its messages was on an outage. A job's cost is the time that
/// messages on its critical path (io/step/critical_path.h) lost, beyond what each takes alone, and
/// that an outage met. What the job would have taken without the outage may differ: other messages
/// may have waited for the same links, and a detour has queues of its own. Two results say it
/// exactly (failure_difference.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/failures/flow_losses.h"
#include "io/step/caused_piece.h"

namespace heddle {

struct HeldCollective {
  std::uint32_t outage = 0;    ///< the one that held up its first message in the table
  std::string name;            ///< "job 0: wg ALLREDUCE of DP, layer 3, group 0"
  std::int64_t messages = 0;   ///< that were on an outage
  std::int64_t time_ps = -1;   ///< -1: it did not end
  std::int64_t alike_ps = -1;  ///< median time of collectives alike that nothing held up
  std::size_t alike = 0;       ///< their number
};

/// Returns collectives with a message on an outage. Unfinished ones come first, then by how
/// much longer they took than collectives alike.
std::vector<HeldCollective> FindHeldCollectives(const ReportSource& source,
                                                const FlowLosses& losses);

/// Time that one outage cost on the critical path of a job [ps].
struct JobCost {
  std::uint32_t outage = 0;
  std::int64_t timeouts_ps = 0;  ///< of messages on it
  std::int64_t no_way_ps = 0;    ///< the same, without a path
  std::int64_t other_ps = 0;     ///< the same, other losses: sent again, in queues, at a lower rate
  std::int64_t detour_ps = 0;    ///< losses of messages that took another path because of it
  std::int64_t all_ps() const { return timeouts_ps + no_way_ps + other_ps; }  ///< without detours
};

/// Sums up what outages cost a critical path, the largest costs first, those that cost nothing left
/// out. `fates`: by row of `flows`. Not counted is the time that a message takes at its links'
/// rates. Of a message without a path for a time, that time counts as no_way_ps, up to what it lost
/// beyond timeouts.
std::vector<JobCost> CostsOf(const std::vector<CausedPiece>& pieces,
                             const std::vector<FlowFate>& fates);

struct JobOfFailures {
  std::uint32_t job = 0;
  std::string name;
  std::int64_t span_ps = -1;   ///< -1: it did not end
  bool has_path = false;       ///< whether its critical path is known
  std::vector<JobCost> costs;  ///< largest first; without outages that cost nothing
};

/// Returns one entry a job, by number; none of a result without jobs.
std::vector<JobOfFailures> FindJobCosts(const ReportSource& source, const FlowLosses& losses);

}  // namespace heddle
