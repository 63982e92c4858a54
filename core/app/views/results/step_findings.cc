// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/results/step_findings.h"

#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/analysis/result_view.h"
#include "io/report/run_names.h"
#include "io/step/step_findings.h"

namespace heddle {
namespace {

constexpr std::size_t kMostCompared = 4;

/// The job that ends last; nothing if the result cannot say, or a job did not end. Adds what all
/// jobs did to `work`.
std::optional<StepExplanation> LastJob(const std::string& result,
                                       std::vector<std::vector<std::int64_t>>* work) {
  try {
    const ReportSource source(result);
    if (source.backend() != "packet") return std::nullopt;
    std::vector<StepExplanation> jobs = ExplainSteps(result);
    if (jobs.size() != source.reader().CountRows("jobs")) return std::nullopt;
    const ResultReader& reader = source.reader();
    work->push_back(WorkOf(reader.ReadTable("jobs"), reader.ReadTable("operations")));
    return std::move(jobs[LastToEnd(jobs)]);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

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
  std::vector<std::string> names = RunNames(results);
  for (std::string& name : names) name = Printable(name);
  return FindingsOf(names, steps);
}

}  // namespace heddle
