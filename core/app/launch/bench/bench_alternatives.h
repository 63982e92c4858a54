// SPDX-License-Identifier: GPL-2.0-only
/// What other algorithms and protocols would take on the fabric of a bench, by closed forms.
#pragma once

#include <cstdint>
#include <vector>

#include "core/app/launch/bench/bench_arguments.h"
#include "core/app/launch/bench/bench_causes.h"
#include "io/analysis/result_view.h"

namespace heddle {

/// Describes the run that made a result, with alternatives to what it chose. Groups of a type and
/// SendRecv have no alternatives, nor has what no closed form knows.
BenchSurroundings SurroundingsOf(const ReportSource& result, const BenchArguments& given,
                                 Operation operation, const std::vector<std::int64_t>& sizes);

}  // namespace heddle
