// SPDX-License-Identifier: GPL-2.0-only
// What a run prints when it has ended.
#include <fmt/format.h>

#include <cstdio>

#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/execution/run.h"
#include "core/app/run/output/idle_failures.h"
#include "core/app/run/output/measured_summary.h"
#include "core/app/run/output/run_json.h"
#include "core/app/run/output/run_summary.h"
#include "core/app/run/output/workload_summary.h"
#include "core/base/printable.h"

namespace heddle {

void Run::WarnOfEmptyMonitors() {
  for (const std::string& name : record_->EmptyMonitors()) {
    const std::string text = fmt::format(
        "monitor {} has no sample: nothing that it watches has changed before the end at {:.3f} us "
        "(monitor.start, monitor.queue_interval and its relatives say when it looks)",
        name.substr(name.rfind('/') + 1), figures_.last_event.microseconds());
    PrintWarning(text);
    log_.Warning(text);
  }
}

void Run::Report(const Outcome& outcome) const {
  if (arguments_.quiet) return;
  // What the run is for comes first, what the simulator did last.
  const std::vector<Table>& jobs = record_->job_tables();
  const auto warmup = figures_.measured ? static_cast<std::uint32_t>(input_.physical.warmup) : 0U;
  if (arguments_.json)
    return PrintJson(RunJson({figures_, outcome, jobs, warmup}, arguments_.output));
  if (!jobs.empty()) {
    const std::string text = SummarizeJobs(jobs[0], jobs[3], jobs[1], jobs[2]);
    std::fputs(PrintableLines(text).c_str(), stdout);
  }
  if (!jobs.empty() && figures_.measured)
    std::fputs(DescribeRepetitions(jobs[1], warmup).c_str(), stdout);
  std::fputs(work_.c_str(), stdout);
  std::fputs(Summarize(*input_.graph, backend_->routes(), outcome, figures_).c_str(), stdout);
  std::fputs(
      IdleFailureLines(*input_.graph, input_.failure_events, outcome.ports, figures_.end).c_str(),
      stdout);
  std::fputs(backend_->Summary().c_str(), stdout);
  std::fputs(record_->CollectivesNote().c_str(), stdout);
  if (figures_.has_flows)
    std::printf("digest of flows  %016llx\n",
                static_cast<unsigned long long>(figures_.flows_digest));
  if (!arguments_.output.empty())
    std::printf("result           %s\n", PrintableLines(arguments_.output).c_str());
  if (!path_log().empty() && !outcome.controller.empty())
    std::printf("path log         %s\n", PrintableLines(path_log()).c_str());
  std::fputs(DescribeSimulator(figures_).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace heddle
