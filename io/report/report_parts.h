// SPDX-License-Identifier: GPL-2.0-only
/// The sections of a report's data, one function for each. A function returns null if the result
/// has no data for the section.
///
/// Times are in ps, sizes in bytes, rates in bit/s (bandwidths of collectives: byte/s); the page
/// chooses units.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/analysis/flow_distribution.h"
#include "io/analysis/result_view.h"
#include "io/analysis/step_shares.h"
#include "io/links/link_times.h"
#include "io/report/report_json.h"

namespace heddle {

/// Default of each option, by its key.
using OptionDefaults = std::map<std::string, std::string>;

/// Returns the input of the run: fabric, options that differ from `defaults`, digests.
Json ReportAbout(const ReportSource& source, const OptionDefaults& defaults);
/// Returns warnings to read before the figures, as texts: incomplete results, then the cause, if it
/// is a deadlock, a failure or timeouts (`failures` of ReportFailures()), then unfinished flows,
/// losses.
Json ReportWarnings(const ReportSource& source, const ReportedFlows& flows, const Json& failures);
/// A pass of a job that ended.
struct ReportedStep {
  std::uint32_t job = 0;
  std::string name;              ///< of the job; may be empty
  double ps = 0;                 ///< mean of its passes
  std::vector<StepShare> parts;  ///< they add up to `ps`
};
/// Most jobs whose steps a page shows.
inline constexpr std::size_t kMostReportedSteps = 4;
/// Returns steps of the first `most` jobs that ended; none for a result without jobs or layers.
std::vector<ReportedStep> StepsOf(const ReportSource& source, std::size_t most);
/// Returns where the time of a step of each job went.
Json ReportStep(const std::vector<ReportedStep>& steps);

/// Returns the key figures, each with key, label, unit, value and better (-1: less is better, 1:
/// more is better, 0: neither); and minor, if it is shown only beside a run in which it is not.
Json ReportFigures(const ReportSource& source, const ReportedFlows& flows,
                   const std::vector<ReportedStep>& steps);
/// Returns distributions of completion times and slowdowns.
Json ReportCompletion(const ReportedFlows& flows, const ReportLimits& limits);
/// Returns slowdowns by size of flow.
Json ReportSizes(const ReportedFlows& flows);
/// Returns the flows that lost the most time to others or to failures, the first the worst. Null if
/// the result does not keep every flow, or none lost any.
Json ReportSlowFlows(const ReportSource& source, const ReportedFlows& known);

/// Returns the total traffic of each tier of links.
Json ReportTiers(const ReportSource& source);
/// Returns utilisation over time, one row for each tier.
Json ReportTierLoad(const ReportSource& source, const ReportLimits& limits);
/// Returns utilisation over time, one row for each of the busiest links of each tier.
Json ReportLinkLoad(const ReportSource& source, const ReportLimits& limits);
/// When links were busy and with which flows, as far as flows are known.
struct TracedLinks {
  std::optional<LinkTimes> times;
  std::string unknown;  ///< why there are none
};
/// Traces all flows, unless there are more than limits.traced or their paths are not known.
TracedLinks TraceLinks(const ReportSource& source, const ReportLimits& limits);
/// Returns the links that were used most while they were busy, else over the run, and the flows
/// that use them.
Json ReportHotLinks(const ReportSource& source, const TracedLinks& traced,
                    const ReportLimits& limits);
/// Returns the fabric as it is drawn, the use of its links over time, and who used them when.
Json ReportFabric(const ReportSource& source, const TracedLinks& traced,
                  const ReportLimits& limits);
/// Returns the ports that dropped the most packets by reason, at most 50.
Json ReportDrops(const ReportSource& source, const ReportLimits& limits);
/// Returns failures, and the flows that waited or sent again.
Json ReportFailures(const ReportSource& source, const ReportLimits& limits);

/// Returns the longest queues over time.
Json ReportQueues(const ReportSource& source, const ReportLimits& limits);
/// Returns the share of each tier's links that PFC paused, over time.
Json ReportPauses(const ReportSource& source, const ReportLimits& limits);
/// Returns ports at which pauses began.
Json ReportPauseCauses(const ReportSource& source, const ReportLimits& limits);

/// Collectives of one operation and type of group.
struct KindOfCollective {
  std::string name;    ///< "ALLREDUCE of DP"
  double seconds = 0;  ///< of all together
  double busbw = 0;    ///< bytes on the bus of all, over these seconds [byte/s]
};
/// Returns kinds with a bus bandwidth that took the longest together, the longest first.
std::vector<KindOfCollective> LongestKinds(const ReportSource& source, std::size_t most);
/// Returns time and bandwidth of collectives by kind and size.
Json ReportCollectives(const ReportSource& source, const ReportLimits& limits);
/// Returns computing and exposed communication by layer, mean over ranks.
Json ReportLayers(const ReportSource& source, const ReportLimits& limits);
/// Returns computing and communication of some GPUs of each stage over time.
Json ReportTimeline(const ReportSource& source, const ReportLimits& limits);
/// Returns mean delays of chunks before phases of their collectives, and of messages in them, by
/// layer.
Json ReportPhaseDelays(const ReportSource& source, const ReportLimits& limits);
/// Returns the first jobs, with their sizes, placement and times.
Json ReportJobs(const ReportSource& source, const ReportLimits& limits);
/// Returns the central controller's decisions.
Json ReportController(const ReportSource& source, const ReportLimits& limits);

/// Returns weights of CAST: connections; and weights, estimates and bytes of one by queue pair over
/// time.
Json ReportCast(const ReportSource& source, const ReportLimits& limits);

/// Returns the performance of the simulator itself, by rank.
Json ReportRanks(const ReportSource& source, const ReportLimits& limits);
/// Returns simulated time, packet-hops, flows and memory over wall-clock time.
Json ReportProgress(const ReportSource& source, const ReportLimits& limits);

struct SweptRuns;  // io/report/report.h
/// Returns a sweep: its axes, with their values by run as texts and, if all are, as numbers of one
/// unit, of the key "size" bytes; and the key figures and warnings of each run.
Json ReportSweep(const SweptRuns& sweep, const std::vector<std::string>& results,
                 const std::vector<std::string>& names);

/// Returns all of a result of static congestion; its page has sections of its own
/// (io/report/page/static.js).
Json ReportStaticCongestion(const std::string& path, const std::string& name,
                            const ReportLimits& limits);

}  // namespace heddle
