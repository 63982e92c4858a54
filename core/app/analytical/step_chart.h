// SPDX-License-Identifier: GPL-2.0-only
/// A page with a chart of a step's parts. It needs nothing from elsewhere.
#ifndef HEDDLE_CORE_APP_ANALYTICAL_STEP_CHART_H_
#define HEDDLE_CORE_APP_ANALYTICAL_STEP_CHART_H_

#include <string>

#include "collectives/simai_closed_form/simai_step.h"

namespace heddle {

/// `name`: of the result. `language`: "ja", or English. Times are microseconds (SimAI's chart calls
/// the same numbers ns).
std::string StepChart(const std::string& name, const SimaiStep& step, const std::string& language);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_ANALYTICAL_STEP_CHART_H_
