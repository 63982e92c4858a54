// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/estimate/size_estimate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/statvfs.h>

#include <cmath>

#include "core/app/run/setup/job_setup.h"
#include "transport/model/wire/limits.h"

namespace heddle {
namespace {

std::string SizeText(double bytes) { return ToText(Bytes{static_cast<std::int64_t>(bytes)}); }

/// "59 M", "1.2 M", "310 k", "42".
std::string RowCountText(double count) {
  if (count >= 1e6) return fmt::format(count < 1e7 ? "{:.1f} M" : "{:.0f} M", count / 1e6);
  return count >= 1e4 ? fmt::format("{:.0f} k", count / 1e3) : fmt::format("{:.0f}", count);
}

double CountLayers(const std::vector<Job>& jobs) {
  double layers = 0;
  for (const Job& job : jobs) {
    if (job.program.graph != nullptr) continue;  // it has no layers
    const auto stages = static_cast<double>(job.groups.pipeline());
    layers += static_cast<double>(job.gpus.size()) *
              static_cast<double>(job.workload.layers.size()) / stages;
  }
  return layers;
}

/// Number of ports of switches and NVSwitches; with those of GPUs if `gpus`.
double CountPorts(const Graph& graph, bool gpus) {
  double ports = 0;
  for (std::uint32_t node = 0; node < graph.node_count(); ++node) {
    if (gpus || !graph.is_gpu(NodeId(node)))
      ports += static_cast<double>(graph.ports(NodeId(node)).size());
  }
  return ports;
}

/// ", monitors at most 1.2 MiB more a simulated millisecond"; empty without monitors.
std::string MonitorText(const RunInput& input) {
  const MonitorOptions& monitors = input.transport.monitors;
  if (!monitors.any()) return "";
  const bool bounded = !monitors.rates && !monitors.cnps && !monitors.pfc && !monitors.cast &&
                       !(monitors.queues && monitors.on_change);
  if (!bounded) return ", and what the monitors write";
  // Automatic intervals grow; a later millisecond has fewer samples than the first.
  constexpr Time kSpan = MicroSeconds(1000);
  const auto seconds = [&](bool wanted, Time interval) {
    if (!wanted) return 0.0;
    if (interval != SampleGrid::kAutomatic) return interval.seconds();
    const SampleGrid grid(Time{0}, SampleGrid::kAutomatic);
    return kSpan.seconds() / static_cast<double>(grid.CountUntil(kSpan));
  };
  const double bytes = MostMonitorBytes(kPriorities * CountPorts(*input.graph, false),
                                        seconds(monitors.queues, monitors.queue_interval),
                                        CountPorts(*input.graph, true),
                                        seconds(monitors.links, monitors.link_interval));
  return fmt::format(", monitors at most {} more for a simulated millisecond",
                     SizeText(bytes / 1e3));
}

}  // namespace

ResultRows PlannedRows(const RunInput& input, const PlannedRecords& records) {
  const auto rows_of = [](auto planned, FlowSample sample) {
    return sample.none()
               ? 0
               : std::ceil(static_cast<double>(planned) / static_cast<double>(sample.every));
  };
  ResultRows rows;
  rows.flows = rows_of(records.flows, records.sample);
  rows.links = static_cast<double>(input.graph->links().size());
  if (input.transport.controller.enabled) rows.decisions = rows.flows;
  if (input.jobs.empty()) return rows;
  rows.labelled_flows = rows.flows;
  rows.layers = CountLayers(input.jobs);
  rows.collectives = rows_of(records.collectives, records.operations);
  if (records.time_line) rows.steps = static_cast<double>(CountSteps(input.jobs));
  return rows;
}

std::string DescribeSize(const RunInput& input, const ResultRows& rows, bool has_flows) {
  const ResultSize size = EstimateResultSize(rows);
  std::vector<std::string> kinds;
  const auto add = [&kinds](double count, const char* what) {
    if (count > 0) kinds.push_back(RowCountText(count) + " " + what);
  };
  if (has_flows) kinds.push_back(RowCountText(rows.flows) + " flows");
  add(rows.collectives, "collectives");
  add(rows.steps, "steps");
  std::string text = fmt::format("about {} ({})", SizeText(size.result), fmt::join(kinds, ", "));
  if (size.beside >= 1) text += fmt::format(", while running {} beside it", SizeText(size.beside));
  return text + MonitorText(input);
}

std::string DescribeNeed(const ResultRows& rows) {
  const ResultSize size = EstimateResultSize(rows);
  return fmt::format("The whole run needs about {}, and what its monitors write",
                     SizeText(size.result + size.beside));
}

std::string WarningOfRoom(const std::string& output, const ResultRows& rows) {
  const ResultSize size = EstimateResultSize(rows);
  const std::size_t slash = output.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : output.substr(0, slash + 1);
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) != 0) return "";
  const double room = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  const double needed = size.result + size.beside;
  if (room >= needed) return "";
  return fmt::format(
      "{}: the result and what is written beside it need about {}, and there are {} free. Fewer "
      "rows: --record "
      "flows=sample:N, collectives=sample:N, timeline=none",
      output, SizeText(needed), SizeText(room));
}

}  // namespace heddle
