// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// The direction in which a figure improves.
enum Better { kLess = -1, kNeither = 0, kMore = 1 };

class Figures {
 public:
  /// Starts a group of figures.
  void Group(const char* name) { group_ = name; }
  void Add(const std::string& key, const std::string& label, const char* unit, Better better,
           std::optional<double> value, bool minor = false) {
    if (!value) return;
    list_.push_back({{"key", key},
                     {"group", group_},
                     {"label", label},
                     {"unit", unit},
                     {"better", static_cast<int>(better)},
                     {"value", Rounded(*value, 9)}});
    if (minor) list_.back()["minor"] = true;
  }
  Json Take() { return std::move(list_); }

 private:
  const char* group_ = "";
  Json list_ = Json::array();
};

/// Exposed communication below this share of a step is no key figure.
constexpr double kNamedShare = 0.0005;

void AddStepTimes(const ReportSource& source, bool one, Figures* figures) {
  const std::uint64_t shown =
      std::min<std::uint64_t>(source.reader().CountRows("jobs"), kMostReportedSteps);
  const Table jobs = source.reader().ReadRows("jobs", 0, shown, {"start_ps", "end_ps", "passes"});
  const auto& start = GetColumn<std::int64_t>(jobs, "start_ps");
  const auto& end = GetColumn<std::int64_t>(jobs, "end_ps");
  const auto& passes = GetColumn<std::uint32_t>(jobs, "passes");
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (end[i] < 0 || passes[i] == 0) continue;
    figures->Add(fmt::format("step_{}", i), one ? "Step time" : fmt::format("Step time, job {}", i),
                 "ps", kLess, static_cast<double>(end[i] - start[i]) / passes[i]);
  }
}

/// Nothing for flows on real machines, which have no ideal time.
void AddSlowdown(const ReportedFlows& flows, Figures* figures) {
  const std::vector<Bin> slowdowns = flows.slowdowns();
  const double worst = flows.slowdown_max();
  if (worst <= 0) return;
  figures->Add("slowdown_mean", "Slowdown, mean", "x", kLess, flows.slowdown_mean());
  figures->Add("slowdown_p50", "Slowdown, p50", "x", kLess,
               std::min(worst, QuantileOf(slowdowns, 0.5)));
  figures->Add("slowdown_p99", "Slowdown, p99", "x", kLess,
               std::min(worst, QuantileOf(slowdowns, 0.99)));
  figures->Add("slowdown_max", "Slowdown, worst", "x", kLess, worst);
}

void AddCompletion(const ReportSource& source, const ReportedFlows& flows, Figures* figures) {
  figures->Add("planned", "Flows planned", "", kNeither, static_cast<double>(flows.planned));
  if (!flows.whole) return;
  figures->Add("finished", "Flows finished", "", kMore, static_cast<double>(flows.finished));
  if (flows.fct_ps.empty()) return;
  figures->Add("fct_mean", "Completion time, mean", "ps", kLess, flows.fct_mean_ps());
  figures->Add("fct_p50", "Completion time, p50", "ps", kLess, flows.fct_ps_at(0.5));
  figures->Add("fct_p99", "Completion time, p99", "ps", kLess, flows.fct_ps_at(0.99));
  figures->Add("fct_max", "Completion time, longest", "ps", kLess,
               static_cast<double>(flows.fct_max_ps()));
  AddSlowdown(flows, figures);
  figures->Add(
      "goodput", "Goodput, all flows together", "bit/s", kMore,
      static_cast<double>(flows.bytes()) * 8 / (static_cast<double>(source.end_ps()) * 1e-12));
}

/// The time of a step of each job, what its GPUs only waited for, and the mean bus bandwidth of the
/// kinds of collectives that took the longest together.
void AddWorkload(const ReportSource& source, const std::vector<ReportedStep>& steps,
                 Figures* figures) {
  constexpr std::size_t kMostShownKinds = 4, kMostKinds = 24;
  if (!source.HasRows("jobs")) return;
  const bool one = source.reader().CountRows("jobs") == 1;
  AddStepTimes(source, one, figures);
  for (const ReportedStep& step : steps) {
    for (const StepShare& part : step.parts) {
      if (part.group.empty() || part.ps < step.ps * kNamedShare) continue;
      figures->Add(
          fmt::format("exposed_{}_{}", part.group, step.job),
          one ? "Exposed " + part.group : fmt::format("Exposed {}, job {}", part.group, step.job),
          "ps", kLess, part.ps);
    }
  }
  std::size_t kinds = 0;
  for (const KindOfCollective& kind : LongestKinds(source, kMostKinds))
    figures->Add("busbw_" + kind.name, "Bus bandwidth, " + kind.name, "B/s", kMore, kind.busbw,
                 kinds++ >= kMostShownKinds);
}

void AddFabric(const ReportSource& source, Figures* figures) {
  double marks = 0, pauses = 0, paused = 0, queue = 0, drops = 0;
  for (const PortTotals& port : ReadPortTotals(source)) {
    marks += static_cast<double>(port.ecn_marked);
    pauses += static_cast<double>(port.pauses);
    paused += static_cast<double>(port.paused_ps);
    queue = std::max(queue, static_cast<double>(port.max_queued_bytes));
  }
  if (source.Has("drops")) {
    ForEachBlock(source.reader(), "drops", {"packets"}, [&](const Table& block) {
      for (const std::int64_t packets : GetColumn<std::int64_t>(block, "packets"))
        drops += static_cast<double>(packets);
    });
  }
  figures->Add("queue", "Longest queue of a port", "byte", kLess, queue);
  figures->Add("drops", "Packets dropped", "", kLess, drops);
  figures->Add("marks", "Packets marked (ECN)", "", kLess, marks);
  figures->Add("pauses", "PFC pauses", "", kLess, pauses);
  figures->Add("paused", "Paused, summed over ports", "ps", kLess, paused);
}

void AddSpeed(const ReportSource& source, Figures* figures) {
  const auto hops = source.carries_flows() ? source.root().Number("packet_hops") : std::nullopt;
  const auto seconds = source.run().Number("run_seconds");
  figures->Add("hops", "Packet-hops", "", kNeither, hops);
  figures->Add("ranks", "Ranks", "", kNeither, source.run().Number("ranks"));
  figures->Add("setup_seconds", "Set-up, wall-clock", "s", kLess,
               source.run().Number("setup_seconds"));
  figures->Add("run_seconds", "Run, wall-clock", "s", kLess, seconds);
  figures->Add("write_seconds", "Writing, wall-clock", "s", kLess,
               source.run().Number("write_seconds"));
  if (hops && seconds && *seconds > 0)
    figures->Add("speed", "Packet-hops a second", "hops/s", kMore, *hops / *seconds);
}

}  // namespace

Json ReportFigures(const ReportSource& source, const ReportedFlows& flows,
                   const std::vector<ReportedStep>& steps) {
  Figures figures;
  figures.Group("Workload");
  AddWorkload(source, steps, &figures);
  figures.Group("Traffic");
  figures.Add("simulated", "Simulated time", "ps", kLess, static_cast<double>(source.end_ps()));
  if (source.carries_flows()) {
    AddCompletion(source, flows, &figures);
    figures.Group("Fabric");
    AddFabric(source, &figures);
  }
  figures.Group("Simulator");
  AddSpeed(source, &figures);
  return figures.Take();
}

Json ReportCompletion(const ReportedFlows& flows, const ReportLimits& limits) {
  if (flows.fct_ps.empty()) return nullptr;
  return {
      {"fct", DistributionOf(flows.fct_ps, limits.points, static_cast<double>(flows.fct_max_ps()))},
      {"slowdown", DistributionOf(flows.slowdowns(), limits.points, flows.slowdown_max())}};
}

Json ReportSizes(const ReportedFlows& flows) {
  if (flows.sizes.empty()) return nullptr;
  Json sizes = Json::array();
  for (const SizeClass& size : flows.sizes) {
    sizes.push_back(
        {{"from", size.from_bytes},
         {"to", size.to_bytes},
         {"flows", size.flows},
         {"bytes", size.bytes},
         {"fct_mean", Rounded(size.fct_mean_ps)},
         {"fct_max", size.fct_max_ps},
         {"mean", Rounded(size.slowdown_mean)},
         {"p50", Rounded(std::min(size.slowdown_max, QuantileOf(size.slowdowns, 0.5)))},
         {"p99", Rounded(std::min(size.slowdown_max, QuantileOf(size.slowdowns, 0.99)))},
         {"max", Rounded(size.slowdown_max)}});
  }
  return sizes;
}

}  // namespace heddle
