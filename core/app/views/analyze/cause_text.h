// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle analyze step` prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/step/step_explanation.h"
#include "io/table/json_document.h"

namespace heddle {

/// Where a job's time went, its critical path by cause, and the `shown` longest pieces.
std::string DescribeCauses(const StepExplanation& study, std::size_t shown);
/// Describes what jobs lost to each other, job by job.
std::string DescribeInterference(const std::vector<StepExplanation>& studies, std::size_t shown);
/// Returns the objects of --json. `result`: file; `shown`: causes and pieces, or links, of each
/// job.
OrderedJson CausesJson(const std::vector<StepExplanation>& studies, std::size_t shown,
                       const std::string& result);
/// Returns the object of --json for DescribeInterference(); arguments as above.
OrderedJson InterferenceJson(const std::vector<StepExplanation>& studies, std::size_t shown,
                             const std::string& result);
/// Returns all pieces as CSV, in order of time; its first line names the columns.
std::string PieceLines(const std::vector<StepExplanation>& studies);

}  // namespace heddle
