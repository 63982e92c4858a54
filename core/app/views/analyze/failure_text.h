// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle analyze failures` prints.
#pragma once

#include <cstddef>
#include <string>

#include "io/failures/failure_difference.h"
#include "io/failures/failure_study.h"

namespace heddle {

/// What it cost the jobs, then the `shown` outages that cost most. `exact`: text of
/// DescribeDifference(), or empty.
std::string DescribeFailures(const FailureStudy& study, std::size_t shown,
                             const std::string& exact);
/// Describes what the failures cost, from two results.
std::string DescribeDifference(const FailureDifference& difference);
/// Returns a row an outage as CSV; the first line names the columns.
std::string FailureLines(const FailureStudy& study);

}  // namespace heddle
