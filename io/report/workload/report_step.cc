// SPDX-License-Identifier: GPL-2.0-only
// A step of each job in parts, and the jobs' figures of it.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/step_shares.h"
#include "io/report/report_parts.h"

namespace heddle {

std::vector<ReportedStep> StepsOf(const ReportSource& source, std::size_t most) {
  std::vector<ReportedStep> steps;
  if (!source.HasRows("jobs") || !source.HasRows("ranks") || !source.HasRows("layers"))
    return steps;
  const StepTimes times = ReadStepTimes(source);
  const Table jobs = source.reader().ReadTable("jobs");
  const auto& number = GetColumn<std::uint32_t>(jobs, "job");
  const auto& name = GetColumn<std::string>(jobs, "name");
  const auto& passes = GetColumn<std::uint32_t>(jobs, "passes");
  for (std::size_t i = 0; i < number.size() && steps.size() < most; ++i) {
    const StepTime time = times.Of(number[i]);
    if (!time.ended || time.span_ps <= 0) continue;
    ReportedStep step;
    step.job = number[i];
    step.name = name[i];
    const double count = std::max<double>(passes[i], 1);
    step.ps = time.span_ps / count;
    step.parts = StepSharesOf(source, number[i], time);
    for (StepShare& part : step.parts) part.ps /= count;
    steps.push_back(std::move(step));
  }
  return steps;
}

Json ReportStep(const std::vector<ReportedStep>& steps) {
  if (steps.empty()) return nullptr;
  Json jobs = Json::array();
  for (const ReportedStep& step : steps) {
    Json parts = Json::array();
    for (const StepShare& part : step.parts)
      parts.push_back({{"name", part.name}, {"group", part.group}, {"ps", Rounded(part.ps, 9)}});
    jobs.push_back(
        {{"job", step.job}, {"name", step.name}, {"ps", Rounded(step.ps, 9)}, {"parts", parts}});
  }
  return {{"jobs", jobs}};
}

}  // namespace heddle
