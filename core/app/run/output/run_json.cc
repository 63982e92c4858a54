// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/run_json.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/app/run/output/slowest_flows.h"
#include "io/analysis/measured_times.h"
#include "io/analysis/step_time.h"

namespace heddle {
namespace {

constexpr int kRunSchema = 1;

/// A job and where the time of its GPUs went.
struct JobTime {
  std::uint32_t job = 0;
  StepTime time;
};

OrderedJson PartsJson(const JobTime& job) {
  if (!job.time.ended) return nullptr;
  OrderedJson parts = OrderedJson::array();
  for (int i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    parts.push_back({{"part", ToText(part)}, {"share", job.time.of(part)}});
  }
  return parts;
}

/// A job's time, which is of whole picoseconds; null if it has not ended.
OrderedJson WholeTime(const StepTime& time, double ps) {
  return NullUnless(time.ended, static_cast<std::int64_t>(std::llround(ps)));
}

PrintedColumns<JobTime> JobColumns() {
  return {{"job", &JobTime::job},
          {"ended", [](const JobTime& job) { return job.time.ended; }},
          {"time_ps", [](const JobTime& job) { return WholeTime(job.time, job.time.span_ps); }},
          {"time_without_tail_ps",
           [](const JobTime& job) { return WholeTime(job.time, job.time.span_without_tail_ps); }},
          {"time_shares", PartsJson}};
}

std::vector<JobTime> TimesOfJobs(const std::vector<Table>& tables) {
  StepTimes times;
  times.AddJobs(tables[0]);
  times.AddRanks(tables[3]);
  times.AddLayers(tables[2]);
  std::vector<JobTime> jobs;
  for (const std::uint32_t job : GetColumn<std::uint32_t>(tables[0], "job"))
    jobs.push_back({job, times.Of(job)});
  return jobs;
}

OrderedJson SlowdownJson(const EndedRun& run) {
  const RunFigures& figures = run.figures;
  if (!figures.has_flows || figures.measured) return nullptr;
  const std::optional<SlowdownQuantiles> found =
      figures.sample.all() && figures.keeps_flows
          ? SlowdownsOfFlows(run.outcome.flows)
          : SlowdownsOfHistogram(run.outcome.statistics[0], run.outcome.statistics[1]);
  if (!found) return nullptr;
  return {{"p50", found->p50}, {"p90", found->p90}, {"p99", found->p99}, {"worst", found->worst}};
}

OrderedJson FlowsJson(const EndedRun& run) {
  const RunFigures& figures = run.figures;
  if (!figures.has_flows) return nullptr;
  const DomainBooks& books = figures.books;
  return {{"flows", figures.flows},
          {"started", books.flows_started},
          {"finished", books.flows_finished},
          {"slowdown", SlowdownJson(run)},
          {"digest", fmt::format("{:016x}", figures.flows_digest)}};
}

/// Null where traffic is real, or collectives are carried whole.
OrderedJson PacketsJson(const RunFigures& figures) {
  if (!figures.has_flows || figures.measured) return nullptr;
  const DomainBooks& books = figures.books;
  return {{"packet_hops", books.link_packets},
          {"ecn_marked", books.marked},
          {"pauses", books.pauses},
          {"dropped_packets", books.dropped_packets},
          {"dropped_bytes", books.dropped_bytes},
          {"nacks", books.nacks},
          {"timeouts", books.timeouts},
          {"resent_bytes", books.resent_bytes},
          {"out_of_order_packets", books.out_of_order},
          {"idle_nic_share", OrNull(figures.idle_nic_share())}};
}

OrderedJson ReplayJson(const std::optional<ReplayOutcome>& replay) {
  if (!replay) return nullptr;
  return {{"recorded", replay->recorded},
          {"replayed", replay->replayed},
          {"rebuilt", replay->rebuilt},
          {"refused", replay->refused},
          {"collectives_whole", replay->whole},
          {"collectives_taken_back", replay->relived},
          {"not_simulated_share", replay->not_simulated},
          {"skipped_share", replay->skipped},
          {"new_share", replay->fresh}};
}

OrderedJson SimulatorJson(const RunFigures& figures) {
  return {{"events", figures.events},
          {"setup_seconds", figures.setup_seconds},
          {"run_seconds", figures.run_seconds},
          {"blocked_share_by_rank", figures.blocked_share},
          {"memory_mib_by_rank", figures.memory_mib},
          {"replay", ReplayJson(figures.replay)}};
}

/// When each rank of a job ended.
void AddEndsOfRanks(const std::vector<Table>& tables, OrderedJson* jobs) {
  for (OrderedJson& job : *jobs) job["rank_end_ps"] = OrderedJson::array();
  for (const Table& table : tables) {
    if (table.name != "ranks") continue;
    const auto& job = GetColumn<std::uint32_t>(table, "job");
    const auto& end = GetColumn<std::int64_t>(table, "end_ps");
    for (std::size_t row = 0; row < job.size(); ++row)
      (*jobs)[job[row]]["rank_end_ps"].push_back(end[row]);
  }
}

}  // namespace

OrderedJson RunJson(const EndedRun& run, const std::string& result) {
  const RunFigures& figures = run.figures;
  OrderedJson document = JsonDocument("run", kRunSchema);
  document["state"] = figures.stalled ? "stalled" : "finished";
  document["result"] = NullIfEmpty(result);
  document["measured"] = figures.measured;
  document["time_ps"] = figures.end.ps;
  document["jobs"] = OrderedJson::array();
  document["collectives"] = OrderedJson::array();
  if (!run.jobs.empty()) {
    document["jobs"] = PrintedList(JobColumns(), TimesOfJobs(run.jobs));
    AddEndsOfRanks(run.jobs, &document["jobs"]);
    document["collectives"] = PrintedList(KindColumns(), TimesOfKinds(run.jobs[1], run.first_pass));
  }
  document["serving"] =
      figures.serving.empty() ? OrderedJson(nullptr) : OrderedJson::parse(figures.serving);
  document["flows"] = FlowsJson(run);
  document["packets"] = PacketsJson(figures);
  document["deadlock"] = NullIfEmpty(figures.deadlock);
  document["simulator"] = SimulatorJson(figures);
  return document;
}

OrderedJson RunWithoutFigures(const std::string& state, const std::string& result) {
  OrderedJson document = JsonDocument("run", kRunSchema);
  document["state"] = state;
  document["result"] = NullIfEmpty(result);
  for (const char* key : {"measured", "time_ps", "jobs", "collectives", "serving", "flows",
                          "packets", "deadlock", "simulator"})
    document[key] = nullptr;
  return document;
}

}  // namespace heddle
