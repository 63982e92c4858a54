// SPDX-License-Identifier: GPL-2.0-only
/// What distinguishes the runs of a sweep.
#pragma once

#include <cstddef>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_table/sweep_table.h"

namespace heddle {

/// Axes that distinguish runs: axes with several values, of a [zip] the first ones that do.
std::vector<std::size_t> VaryingAxes(const SweepTable& table, const std::vector<SweepRun>& runs);

}  // namespace heddle
