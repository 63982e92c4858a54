// SPDX-License-Identifier: GPL-2.0-only
/// The announcement of a run: what will be simulated, and how.
#pragma once

#include <cstdint>
#include <string>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/units.h"
#include "transport/run/backends/backend.h"

namespace heddle {

/// What is announced.
struct PlannedRun {
  const RunArguments& arguments;
  const RunInput& input;
  const Backend& backend;
  std::uint32_t ranks;
  std::int64_t flows;                         ///< queue pairs
  Bytes trace_bytes;                          ///< payload of a trace; zero for jobs
  const std::vector<std::string>& trees;      ///< TrafficPlan::trees
  const std::vector<std::string>& stand_ins;  ///< TrafficPlan::stand_ins
  FlowSample sample;                          ///< which flows the result keeps
  std::string size;  ///< expected size of the result as text; empty without a result
};

/// Returns several lines, each with its line end.
std::string Announce(const PlannedRun& run);

}  // namespace heddle
