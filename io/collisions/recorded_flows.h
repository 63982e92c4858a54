// SPDX-License-Identifier: GPL-2.0-only
/// Which flows have rows in a result.
#pragma once

#include <string>

#include "io/analysis/result_view.h"
#include "io/result/result_reader.h"

namespace heddle {

/// "all", "sample:N" or "none" (of finished flows); "all" for a result without this attribute.
std::string RecordedFlows(const ResultReader& result);

/// Why the paths of all flows are not known; empty: they are. "the result does not have all flows;
/// --record flows=all keeps them".
std::string WhyNoPaths(const ReportSource& source);

/// Prints a warning to standard error if `/flows` does not have all flows, because figures from it
/// then hold for those flows only.
void WarnOfMissingFlows(const std::string& file, const ResultReader& result);

}  // namespace heddle
