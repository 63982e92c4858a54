// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle analytical` prints and writes.
#pragma once

#include <string>

#include "collectives/simai_closed_form/simai_step.h"
#include "core/app/studies/analytical/step_study.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the time of the step, its parts, bandwidths, and the kinds of collectives, the longest
/// first.
std::string StepText(const StepStudy& study);

/// Returns the object of --json: the same, with all kinds; a GB is 10^9 bytes in it. `result`:
/// file, or empty.
OrderedJson StepJson(const StepStudy& study, const std::string& result);

/// Returns SimAI's EndToEnd.csv with three decimals, and columns for algorithm, protocol and
/// bottleneck of each collective. `name`: of the result.
std::string StepCsv(const std::string& name, const StepStudy& study);

/// Returns the sums in SimAI's form, for the chart.
SimaiStep SumsOf(const PredictedStep& step);

}  // namespace heddle
