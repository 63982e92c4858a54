// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/table.h"
#include "io/analysis/step_time.h"
#include "io/check/attribute_validation.h"
#include "io/check/flow_summary.h"
#include "io/served/served_figures.h"

namespace heddle {
namespace {

/// End of the last job; none if a job did not end, or there are no jobs.
std::optional<std::int64_t> EndOfJobs(const ResultReader& result) {
  if (!result.HasTable("jobs")) return std::nullopt;
  const Table jobs = result.ReadTable("jobs");
  const auto& ends = GetColumn<std::int64_t>(jobs, "end_ps");
  if (ends.empty() || *std::min_element(ends.begin(), ends.end()) < 0) return std::nullopt;
  return *std::max_element(ends.begin(), ends.end());
}

/// Completion time [us]: of a workload, until its last GPU ended; of flows, until the last event.
/// None if something did not end.
std::optional<double> Completion(const ResultReader& result, const FlowSummary& flows) {
  if (result.HasTable("jobs")) {
    const std::optional<std::int64_t> end = EndOfJobs(result);
    if (!end) return std::nullopt;
    return static_cast<double>(*end) / 1e6;
  }
  if (flows.finished < flows.planned) return std::nullopt;
  return static_cast<double>(flows.simulated_ps) / 1e6;
}

/// The time of a step of the job whose step is longest, and what its GPUs only waited for the
/// network in it. Nothing if a job did not end, or there are no jobs.
void AddStep(const ResultReader& result, SweepFigures* figures) {
  if (!EndOfJobs(result)) return;
  const Table jobs = result.ReadTable("jobs");
  const auto& job = GetColumn<std::uint32_t>(jobs, "job");
  const auto& start = GetColumn<std::int64_t>(jobs, "start_ps");
  const auto& end = GetColumn<std::int64_t>(jobs, "end_ps");
  const auto& passes = GetColumn<std::uint32_t>(jobs, "passes");
  const auto step_us = [&](std::size_t i) {
    return (static_cast<double>(end[i]) - static_cast<double>(start[i])) / 1e6 /
           std::max<double>(passes[i], 1);
  };
  std::size_t longest = 0;
  for (std::size_t i = 1; i < job.size(); ++i)
    longest = step_us(i) > step_us(longest) ? i : longest;
  figures->step_us = step_us(longest);
  if (!result.HasTable("ranks") || !result.HasTable("layers") || result.CountRows("layers") == 0)
    return;
  StepTimes times;
  times.AddJobs(jobs);
  ForEachBlock(result, "ranks", StepTimes::RankColumns(),
               [&](const Table& block) { times.AddRanks(block); });
  ForEachBlock(result, "layers", StepTimes::LayerColumns(),
               [&](const Table& block) { times.AddLayers(block); });
  const StepTime time = times.Of(job[longest]);
  figures->exposed_us =
      step_us(longest) * (time.of(StepPart::kForward) + time.of(StepPart::kInputGradient) +
                          time.of(StepPart::kWeightGradient));
}

/// Mean of a bandwidth of finished collectives [10^9 byte/s].
std::optional<double> MeanBandwidth(const ResultReader& result, const char* column) {
  if (!result.HasTable("collectives")) return std::nullopt;
  const Table table = result.ReadTable("collectives");
  double sum = 0;
  std::int64_t count = 0;
  const auto& ends = GetColumn<std::int64_t>(table, "end_ps");
  const auto& bandwidths = GetColumn<double>(table, column);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] < 0) continue;
    sum += bandwidths[i];
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count) / 1e9;
}

std::optional<std::int64_t> SumOf(const ResultReader& result, const char* table,
                                  const char* column) {
  if (!result.HasTable(table)) return std::nullopt;
  const Table read = result.ReadTable(table);
  const auto& values = GetColumn<std::int64_t>(read, column);
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

std::optional<double> Seconds(const std::vector<Attribute>& run, const std::string& name) {
  for (const Attribute& attribute : run) {
    const auto* seconds = std::get_if<double>(&attribute.value);
    if (attribute.name == name && seconds != nullptr) return *seconds;
  }
  return std::nullopt;
}

void AddServed(const ServedFigures& served, SweepFigures* figures) {
  const auto us = [](const std::optional<double>& ps) {
    return ps ? std::optional<double>(*ps / 1e6) : std::nullopt;
  };
  figures->requests = served.requests;
  figures->finished_requests = served.finished;
  figures->ttft_p50_us = us(served.ttft_p50);
  figures->ttft_p99_us = us(served.ttft_p99);
  figures->tpot_p50_us = us(served.tpot_p50);
  figures->tpot_p99_us = us(served.tpot_p99);
  figures->kept = served.kept;
  figures->goodput_per_s = served.goodput;
}

/// A figure as CSV: with three decimals if it is not whole; nothing if it is missing.
std::string FieldOf(const OrderedJson& value) {
  return value.is_number_float() ? fmt::format("{:.3f}", value.get<double>()) : CsvText(value);
}

}  // namespace

PrintedColumns<SweepFigures> FigureColumns() {
  using Figures = SweepFigures;
  const auto column = [](const char* key, auto member) {
    return PrintedColumn<Figures>{
        key, [member](const Figures& figures) { return OrNull(figures.*member); }};
  };
  return {column("completion_us", &Figures::completion_us),
          column("step_us", &Figures::step_us),
          column("exposed_us", &Figures::exposed_us),
          column("busbw_gbyte_per_s", &Figures::busbw_gbyte_per_s),
          column("algbw_gbyte_per_s", &Figures::algbw_gbyte_per_s),
          column("flows", &Figures::flows),
          column("finished_flows", &Figures::finished_flows),
          column("slowdown_p50", &Figures::slowdown_p50),
          column("slowdown_p99", &Figures::slowdown_p99),
          column("fct_p99_us", &Figures::fct_p99_us),
          column("drops", &Figures::drops),
          column("pauses", &Figures::pauses),
          column("packet_hops", &Figures::packet_hops),
          column("ranks", &Figures::ranks),
          column("run_seconds", &Figures::run_seconds),
          column("restarts", &Figures::restarts),
          column("requests", &Figures::requests),
          column("finished_requests", &Figures::finished_requests),
          column("ttft_p50_us", &Figures::ttft_p50_us),
          column("ttft_p99_us", &Figures::ttft_p99_us),
          column("tpot_p50_us", &Figures::tpot_p50_us),
          column("tpot_p99_us", &Figures::tpot_p99_us),
          column("kept", &Figures::kept),
          column("goodput_per_s", &Figures::goodput_per_s)};
}

SweepFigures FiguresOf(const ResultReader& result) {
  const FlowSummary flows = ReadFlowSummary(result);
  const std::vector<Attribute> run = result.ReadAttributes("/run");
  SweepFigures figures;
  figures.completion_us = Completion(result, flows);
  AddStep(result, &figures);
  figures.busbw_gbyte_per_s = MeanBandwidth(result, "busbw");
  figures.algbw_gbyte_per_s = MeanBandwidth(result, "algbw");
  figures.flows = flows.planned;
  figures.finished_flows = flows.finished;
  if (flows.finished > 0) {
    figures.slowdown_p50 = flows.slowdown.p50;
    figures.slowdown_p99 = flows.slowdown.p99;
    figures.fct_p99_us = flows.fct_ps.p99 / 1e6;
  }
  figures.drops = SumOf(result, "drops", "packets");
  figures.pauses = SumOf(result, "ports", "pauses");
  figures.packet_hops = flows.packet_hops;
  figures.ranks = IntegerOf(run, "ranks");
  figures.run_seconds = Seconds(run, "run_seconds");
  figures.restarts = IntegerOf(run, "restarts");
  if (result.HasTable("serving/requests"))
    AddServed(FiguresOfServed(result.ReadTable("serving/requests")), &figures);
  return figures;
}

std::string FiguresHeader() {
  const std::string head = PrintedCsvHead(FigureColumns());
  return head.substr(0, head.size() - 1);
}

std::string FiguresLine(const SweepFigures& figures) {
  std::string text;
  bool first = true;
  for (const PrintedColumn<SweepFigures>& column : FigureColumns()) {
    text += (first ? "" : ",") + FieldOf(column.value(figures));
    first = false;
  }
  return text;
}

}  // namespace heddle
