// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/table.h"
#include "io/check/attribute_validation.h"
#include "io/check/flow_summary.h"

namespace heddle {
namespace {

constexpr const char* kColumns[] = {
    "completion_us", "busbw_gbyte_per_s", "flows",   "finished_flows", "slowdown_p50",
    "slowdown_p99",  "fct_p99_us",        "drops",   "pauses",         "packet_hops",
    "ranks",         "run_seconds",       "restarts"};

/// End of the last job; none if a job did not end, or there are no jobs.
std::optional<std::int64_t> EndOfJobs(const ResultReader& result) {
  if (!result.HasTable("jobs")) return std::nullopt;
  const Table jobs = result.ReadTable("jobs");
  const auto& ends = GetColumn<std::int64_t>(jobs, "end_ps");
  if (ends.empty() || *std::min_element(ends.begin(), ends.end()) < 0) return std::nullopt;
  return *std::max_element(ends.begin(), ends.end());
}

/// Completion time: of a workload, until its last GPU ended; of flows, until the last event. Empty
/// if something did not end.
std::string Completion(const ResultReader& result, const FlowSummary& flows) {
  if (result.HasTable("jobs")) {
    const std::optional<std::int64_t> end = EndOfJobs(result);
    return end ? fmt::format("{:.3f}", static_cast<double>(*end) / 1e6) : "";
  }
  return flows.finished < flows.planned
             ? ""
             : fmt::format("{:.3f}", static_cast<double>(flows.simulated_ps) / 1e6);
}

/// Mean bus bandwidth of finished collectives [10^9 byte/s].
std::string BusBandwidth(const ResultReader& result) {
  if (!result.HasTable("collectives")) return "";
  const Table table = result.ReadTable("collectives");
  double sum = 0;
  std::int64_t count = 0;
  const auto& ends = GetColumn<std::int64_t>(table, "end_ps");
  const auto& bandwidths = GetColumn<double>(table, "busbw");
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] < 0) continue;
    sum += bandwidths[i];
    ++count;
  }
  return count == 0 ? "" : fmt::format("{:.3f}", sum / static_cast<double>(count) / 1e9);
}

std::string SumOf(const ResultReader& result, const char* table, const char* column) {
  if (!result.HasTable(table)) return "";
  const Table read = result.ReadTable(table);
  const auto& values = GetColumn<std::int64_t>(read, column);
  return std::to_string(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
}

std::string Seconds(const std::vector<Attribute>& run, const std::string& name) {
  for (const Attribute& attribute : run) {
    const auto* seconds = std::get_if<double>(&attribute.value);
    if (attribute.name == name && seconds != nullptr) return fmt::format("{:.3f}", *seconds);
  }
  return "";
}

std::string Count(const std::vector<Attribute>& run, const std::string& name) {
  const std::optional<std::int64_t> value = IntegerOf(run, name);
  return value ? std::to_string(*value) : "";
}

}  // namespace

std::string FiguresHeader() {
  std::string text;
  for (const char* column : kColumns) text += (text.empty() ? "" : ",") + std::string(column);
  return text;
}

std::string FiguresLine(const ResultReader& result) {
  const FlowSummary flows = ReadFlowSummary(result);
  const std::vector<Attribute> run = result.ReadAttributes("/run");
  const bool some = flows.finished > 0;
  const std::string fields[] = {Completion(result, flows),
                                BusBandwidth(result),
                                std::to_string(flows.planned),
                                std::to_string(flows.finished),
                                some ? fmt::format("{:.3f}", flows.slowdown.p50) : "",
                                some ? fmt::format("{:.3f}", flows.slowdown.p99) : "",
                                some ? fmt::format("{:.3f}", flows.fct_ps.p99 / 1e6) : "",
                                SumOf(result, "drops", "packets"),
                                SumOf(result, "ports", "pauses"),
                                std::to_string(flows.packet_hops),
                                Count(run, "ranks"),
                                Seconds(run, "run_seconds"),
                                Count(run, "restarts")};
  static_assert(std::size(fields) == std::size(kColumns));
  std::string text;
  for (std::size_t i = 0; i < std::size(fields); ++i) text += (i == 0 ? "" : ",") + fields[i];
  return text;
}

std::string NoFigures() { return std::string(std::size(kColumns) - 1, ','); }

}  // namespace heddle
