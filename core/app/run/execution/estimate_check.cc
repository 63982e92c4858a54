// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/estimate_check.h"

#include <cstdio>
#include <vector>

namespace heddle {

void RunForecast::Estimate(const Communicator& world, EstimateSource source, bool refuse) {
  source.before = memory_.before();
  estimate_ = EstimateRun(world, source);
  if (!refuse) return;
  AgreeOnErrors(world, [&] { CheckMemory(estimate_.demand, estimate_.memory[0]); });
}

EstimateError RunForecast::Report(const Communicator& world, const RunFigures& figures, bool quiet,
                                  bool details) const {
  const std::vector<MemorySnapshot> memory = memory_.Gather(world);
  const std::int64_t peak = world.Max(ReadProcessMemory().peak);
  const EstimateError error =
      CompareEstimate(estimate_, {static_cast<double>(figures.books.link_packets),
                                  static_cast<double>(figures.events), figures.run_seconds, peak});
  if (!world.is_root() || quiet) return error;
  if (figures.has_flows) std::fputs(Describe(error).c_str(), stdout);
  if (details) std::fputs(DescribeMemory(memory).c_str(), stdout);
  std::fflush(stdout);
  return error;
}

}  // namespace heddle
