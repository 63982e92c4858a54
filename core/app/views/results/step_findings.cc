// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/step_findings.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/base/table.h"
#include "io/analysis/result_view.h"
#include "io/report/run_names.h"
#include "io/step/step_explanation.h"
#include "io/step/step_verdict.h"

namespace heddle {
namespace {

constexpr std::size_t kMostCompared = 4;

/// What a result's jobs did: GPUs and passes of each, operations and bytes of all.
std::vector<std::int64_t> WorkOf(const ReportSource& source) {
  std::vector<std::int64_t> work;
  const Table jobs = source.reader().ReadTable("jobs");
  for (const char* column : {"gpus", "passes"}) {
    for (const std::uint32_t value : GetColumn<std::uint32_t>(jobs, column)) work.push_back(value);
  }
  const Table operations = source.reader().ReadTable("operations");
  const auto& sizes = GetColumn<std::int64_t>(operations, "bytes");
  std::int64_t bytes = 0;
  for (const std::int64_t size : sizes) bytes += size;
  work.push_back(static_cast<std::int64_t>(sizes.size()));
  work.push_back(bytes);
  return work;
}

/// The job that ends last; nothing if the result cannot say, or a job did not end. Adds what all
/// jobs did to `work`.
std::optional<StepExplanation> LastJob(const std::string& result,
                                       std::vector<std::vector<std::int64_t>>* work) {
  try {
    const ReportSource source(result);
    if (source.backend() != "packet") return std::nullopt;
    std::vector<StepExplanation> jobs = ExplainSteps(result);
    if (jobs.size() != source.reader().CountRows("jobs")) return std::nullopt;
    work->push_back(WorkOf(source));
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
  std::vector<std::vector<std::int64_t>> work;
  for (const std::string& result : results) {
    std::optional<StepExplanation> step = LastJob(result, &work);
    if (!step || work.back() != work.front()) return {};
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
