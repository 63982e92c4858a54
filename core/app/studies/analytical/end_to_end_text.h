// SPDX-License-Identifier: GPL-2.0-only
/// EndToEnd.csv of SimAI's analytical programs, to the byte.
///
/// Source: SimAI 1.6, Layer.cc (report). Times are microseconds without decimals,
/// bandwidths 2^30 byte/s with two; "-nan" and "inf" stand where SimAI divides by zero.
#pragma once

#include <string>

#include "collectives/simai_closed_form/simai_step.h"
#include "core/traffic/raw_workload.h"

namespace heddle {

/// Returns the first two lines: the sums of a step. `name`: of the result, without its folders.
std::string EndToEndSummary(const std::string& name, const SimaiStep& step);

/// Returns the whole file.
std::string EndToEndText(const std::string& name, const RawWorkload& workload,
                         const SimaiStep& step);

}  // namespace heddle
