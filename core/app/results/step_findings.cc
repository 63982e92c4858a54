// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/results/step_findings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/analysis/result_view.h"
#include "io/report/run_names.h"
#include "io/step/step_explanation.h"
#include "io/step/step_verdict.h"

namespace heddle {
namespace {

constexpr std::size_t kMostCompared = 4;

/// The job that ends last; nothing if the result cannot say.
std::optional<StepExplanation> LastJob(const std::string& result) {
  try {
    if (ReportSource(result).backend() != "packet") return std::nullopt;
    std::vector<StepExplanation> jobs = ExplainSteps(result);
    return std::move(*std::max_element(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) {
      return a.end_ps < b.end_ps;
    }));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::int64_t SpanOf(const StepExplanation& step) { return step.end_ps - step.start_ps; }

}  // namespace

std::vector<std::string> StepFindings(const std::vector<std::string>& results) {
  if (results.empty() || results.size() > kMostCompared) return {};
  std::vector<StepExplanation> steps;
  for (const std::string& result : results) {
    std::optional<StepExplanation> step = LastJob(result);
    if (!step) return {};
    steps.push_back(std::move(*step));
  }
  if (steps.size() == 1) return {CriticalPathLine(steps.front()) + "."};
  const std::vector<std::string> names = RunNames(results);
  const std::size_t best = static_cast<std::size_t>(
      std::min_element(steps.begin(), steps.end(),
                       [](const auto& a, const auto& b) { return SpanOf(a) < SpanOf(b); }) -
      steps.begin());
  std::vector<std::string> findings;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == best) continue;
    findings.push_back(
        StepVerdict(Printable(names[best]), steps[best], Printable(names[i]), steps[i]) + ".");
  }
  return findings;
}

}  // namespace heddle
