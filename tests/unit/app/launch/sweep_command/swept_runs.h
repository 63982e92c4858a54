// SPDX-License-Identifier: GPL-2.0-only
/// A sweep of four runs with figures, for tests.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/sweep/sweep_runs.h"
#include "core/app/launch/sweep_command/sweep_results.h"
#include "core/app/launch/sweep_table/sweep_table.h"

namespace heddle {

struct SweptCase {
  SweepTable table;
  std::vector<SweepRun> runs;
  std::vector<SweepResult> results;
};

inline SweepAxis AxisOfValues(const std::string& key, const std::vector<std::string>& values) {
  SweepAxis axis{key, {}};
  for (const std::string& value : values) axis.values.push_back({key, value, {"t.toml", 3}});
  return axis;
}

/// Two fabrics and two sizes; the larger takes 10 times as long, the second fabric half as long.
inline SweptCase FabricsAndSizes() {
  SweptCase made;
  made.table.file = "t.toml";
  made.table.output = "out";
  made.table.fixed = {{"collective", "ALLREDUCE DP", {"t.toml", 2}}};
  made.table.axes = {AxisOfValues("topology", {"in/a.txt", "in/b.txt"}),
                     AxisOfValues("size", {"65536", "1048576"})};
  made.runs = ExpandSweep(made.table);
  for (const double step : {10.0, 100.0, 5.0, 50.0}) {
    SweepResult result;
    result.state = RunState::kDone;
    result.figures.completion_us = result.figures.step_us = step;
    result.figures.exposed_us = step / 2;
    result.figures.busbw_gbyte_per_s = 200 / step;
    result.figures.drops = 3;
    made.results.push_back(result);
  }
  return made;
}

}  // namespace heddle
