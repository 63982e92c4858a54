// SPDX-License-Identifier: GPL-2.0-only
/// A page with a chart of a step's parts. It needs nothing from elsewhere.
#pragma once

#include <string>

#include "collectives/simai_closed_form/simai_step.h"

namespace heddle {

/// `name`: of the result. `language`: "ja", or English. Times are microseconds (SimAI's chart calls
/// the same numbers ns).
std::string StepChart(const std::string& name, const SimaiStep& step, const std::string& language);

}  // namespace heddle
