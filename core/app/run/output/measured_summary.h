// SPDX-License-Identifier: GPL-2.0-only
/// What a run whose traffic is real prints of its repetitions.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/table.h"

namespace heddle {

/// Passes and kinds of collectives: smallest, mean, median and 99th percentile of their times, from
/// pass `warmup` on. `collectives`: docs/formats/result.md. Whole lines; empty if none ended.
std::string DescribeRepetitions(const Table& collectives, std::uint32_t warmup);

}  // namespace heddle
