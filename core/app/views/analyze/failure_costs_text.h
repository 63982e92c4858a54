// SPDX-License-Identifier: GPL-2.0-only
/// What failures cost, as text: the first lines of `heddle analyze failures`.
#pragma once

#include <string>

#include "io/failures/failure_study.h"

namespace heddle {

/// "1 link and 2 nodes failed in 1539.0 us; routes followed at once"
std::string FailedLine(const FailureStudy& study);
/// What jobs lost on their critical paths; without jobs, what the last flow lost.
std::string CostLines(const FailureStudy& study);

}  // namespace heddle
