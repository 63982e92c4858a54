// SPDX-License-Identifier: GPL-2.0-only
/// Cuts of a fuzzer's run: how it is saved, continued and flushed. Its results must not show it.
///
/// What is taken on a grid of time (samples of monitors, bins of the tiers' load) is most easily
/// spoilt within an interval of the traffic's end, before and after it. Most cuts lie there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "tests/support/simulate.h"
#include "transport/domain/state/transport_options.h"
#include "transport/model/record/monitor_options.h"

namespace heddle {

/// Draws the times of one to three cuts, ascending, of which most lie within the longest interval
/// of `monitors` from `end`, the traffic's. Cuts after the last event of all do nothing.
std::vector<Time> DrawCuts(std::uint64_t seed, Time end, const MonitorOptions& monitors);

/// Adds such cuts to those of a run of replays, ascending. There are no monitors beside replays.
void AddCuts(std::uint64_t seed, Time end, std::vector<Time>* stops);

/// Turns monitors on, of kinds and with intervals that the seed draws.
void DrawMonitors(std::uint64_t seed, TransportOptions* options);

/// Puts cuts as DrawCuts() into a plan; every other seed also flushes after each window. `whole`:
/// the run without a cut. `checkpoint`: of a file that need not exist.
void CutRun(std::uint64_t seed, const testing::Observed& whole, const MonitorOptions& monitors,
            const std::string& checkpoint, testing::RunPlan* plan);

/// Names the cuts of a plan, for messages.
std::string DescribeCuts(const testing::RunPlan& plan);

}  // namespace heddle
