// SPDX-License-Identifier: GPL-2.0-only
/// The sentence on top of a page: what took the time of a run, or why one run is slower than
/// another. Computed from the parts of steps, times of collectives and the use of tiers of links.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/analysis/result_view.h"
#include "io/report/report_parts.h"

namespace heddle {

/// Times of the collectives of one operation and type of group.
struct KindTotal {
  double sum_ps = 0, number = 0;
  double mean_ps() const { return number > 0 ? sum_ps / number : 0; }  ///< 0 for none
};

/// The longest time in which all links of a tier were full, and the busiest link. NVLinks do not
/// count.
struct BusiestLinks {
  /// Mean use of a tier's links from which they are called full.
  static constexpr double kFull = 0.9;

  std::string tier;                     ///< empty: none was full
  std::int64_t from_ps = 0, to_ps = 0;  ///< when it was
  std::string link;                     ///< "leaf 5 -> spine 2"; empty: nothing was sent
  double share = 0;                     ///< of the run during which the link sent, 0 to 1
};

/// What the sentence says of a run.
struct HeadlineRun {
  std::string name;
  std::string traffic;               ///< digests of what was to be sent
  double end_ps = 0;                 ///< of the simulation
  double flows = 0;                  ///< planned
  std::int64_t timeouts = 0;         ///< retransmission timeouts of all flows
  double longest_wait_ps = 0;        ///< of a flow, before its timeouts
  std::optional<ReportedStep> step;  ///< of the job whose step takes longest
  /// By type of group, then operation.
  std::map<std::string, std::map<std::string, KindTotal>> kinds;
  BusiestLinks links;

  /// Returns the time that runs are compared by [ps]: the step or, without one, the end of the run.
  double time_ps() const { return step ? step->ps : end_ps; }
};

/// Reads what the sentence needs. `steps`: of StepsOf(), of which the longest is kept.
HeadlineRun ReadHeadlineRun(const ReportSource& source, const std::string& name,
                            const std::vector<ReportedStep>& steps);

/// Says of one run: "The step takes 1.238 ms: 41.2 % computing, 30.1 % exposed EP (ALLTOALL 201.0
/// us), leaf to spine links full from 0.600 to 1.600 ms." Of several, how the slowest differs from
/// the fastest: "B is 3.4 % slower than A (1.197 -> 1.238 ms a step): exposed EP +41.2 us (ALLTOALL
/// of EP 201.0 -> 357.0 us), ..." Runs of different traffic get no reasons. Empty for no runs.
std::string HeadlineOf(std::vector<HeadlineRun> runs);

}  // namespace heddle
