// SPDX-License-Identifier: GPL-2.0-only
/// The knee of runs that serve requests: the highest rate at which the service level is kept.
///
/// Runs that differ in their rate alone (serve.rate or serve.rate_scale) are one curve. Its knee is
/// the highest of its rates at which, and at all lower ones, at least kKneeShare of all requests
/// kept the limits of --slo: the attainment of DistServe (OSDI 2024).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"

namespace heddle {

inline constexpr double kKneeShare = 0.9;

/// Rows of one curve, by rate.
struct SweepKnee {
  std::vector<std::size_t> rows;
  std::optional<std::size_t> knee;  ///< of `rows`; none: the level is not kept at the lowest rate
};

/// Returns the curves with more than one rate and a service level; none without such.
std::vector<SweepKnee> FindKnees(const SweepTable& table, const std::vector<SweepRun>& runs,
                                 const std::vector<SweepResult>& results);

/// Returns by run: whether it is a knee; none: it is on no curve.
std::vector<std::optional<bool>> MarkKnees(std::size_t runs, const std::vector<SweepKnee>& knees);

/// Returns a sentence for each curve: "knee of apart: rate 8 (96.0 % of requests kept the level);
/// at 12 61.0 %".
std::vector<std::string> KneeSentences(const SweepTable& table, const std::vector<SweepRun>& runs,
                                       const std::vector<SweepResult>& results);

}  // namespace heddle
