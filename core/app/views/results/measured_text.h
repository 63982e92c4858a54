// SPDX-License-Identifier: GPL-2.0-only
/// A measured result beside a simulated one: a step and its parts, collectives by kind.
#pragma once

#include <string>

#include "io/result/result_reader.h"

namespace heddle {

/// Whole lines, errors of B's times from A's; empty if one has no collectives. Passes that warm up
/// (physical.warmup) count in the parts of steps only.
std::string DescribeMeasured(const ResultReader& a, const ResultReader& b);

}  // namespace heddle
