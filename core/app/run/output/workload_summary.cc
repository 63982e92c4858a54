// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/output/workload_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/units.h"
#include "io/analysis/step_time.h"

namespace heddle {
namespace {

constexpr std::size_t kKindsShown = 12;

/// "job 0  12.3 us; its GPUs computed 80.1 % of the time, waited for forward 10.0 %, ..." over all
/// its GPUs; the shares add up to 100 %. SimAI's total leaves out what the next line is about.
std::string JobLines(std::uint32_t job, const StepTime& time) {
  if (!time.ended) return fmt::format("job {:<12} did not end\n", job);
  std::string text = fmt::format("job {:<12} {:.3f} us; its GPUs", job, time.span_ps * 1e-6);
  for (int i = 0; i < kStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    text += fmt::format("{}{} {:.2f} %{}", part == StepPart::kForward ? " waited for " : " ",
                        ToText(part), 100 * time.of(part),
                        part == StepPart::kCompute ? " of the time,"
                        : i + 1 < kStepParts       ? ","
                                                   : "\n");
  }
  if (time.span_without_tail_ps < time.span_ps) {
    text += fmt::format(
        "                 {:.3f} us without the wait for weight gradients after the last step\n",
        time.span_without_tail_ps * 1e-6);
  }
  return text;
}

struct Kind {
  std::int64_t count = 0, shortest = INT64_MAX, longest = 0, sum = 0;
  double bus_bytes = 0;               ///< bytes times the bus factor
  std::int64_t ideal = 0, known = 0;  ///< least times, and times of collectives with one [ps]
  double waited = 0;  ///< for the collective before, or of receivers for their senders [ps]
};

using KindName = std::tuple<std::string, std::string, std::string, std::uint32_t, std::int64_t>;

/// What finished, by operation, group, algorithm, ranks and bytes.
std::map<KindName, Kind> KindsOf(const Table& collectives) {
  const auto& op = GetColumn<std::string>(collectives, "op");
  const auto& group = GetColumn<std::string>(collectives, "group_type");
  const auto& algorithm = GetColumn<std::string>(collectives, "algorithm");
  const auto& ranks = GetColumn<std::uint32_t>(collectives, "ranks");
  const auto& bytes = GetColumn<std::int64_t>(collectives, "bytes");
  const auto& time = GetColumn<std::int64_t>(collectives, "time_ps");
  const auto& wait = GetColumn<std::int64_t>(collectives, "wait_ps");
  const auto& ideal = GetColumn<std::int64_t>(collectives, "ideal_ps");
  const auto& bus = GetColumn<double>(collectives, "busbw");
  std::map<KindName, Kind> kinds;
  for (std::size_t i = 0; i < op.size(); ++i) {
    if (time[i] < 0) continue;
    Kind& kind = kinds[{op[i], group[i], algorithm[i], ranks[i], bytes[i]}];
    ++kind.count;
    kind.shortest = std::min(kind.shortest, time[i]);
    kind.longest = std::max(kind.longest, time[i]);
    kind.sum += time[i];
    kind.bus_bytes += bus[i] * static_cast<double>(time[i]) * 1e-12;
    kind.ideal += ideal[i];
    kind.known += ideal[i] > 0 ? time[i] : 0;
    kind.waited += static_cast<double>(wait[i]);
  }
  return kinds;
}

/// "91.2 %": what their busiest ports needed, of what they took.
std::string LineRateText(const Kind& kind) {
  if (kind.known <= 0) return "-";
  return fmt::format("{:.1f} %",
                     100 * static_cast<double>(kind.ideal) / static_cast<double>(kind.known));
}

/// Lines of kinds; kinds that took the longest together come first.
std::string KindLines(const std::map<KindName, Kind>& kinds) {
  std::vector<std::map<KindName, Kind>::const_iterator> order;
  bool waits = false;  // a column for what passes before them, where anything does
  std::size_t width = 10;
  for (auto at = kinds.cbegin(); at != kinds.cend(); ++at) {
    order.push_back(at);
    waits = waits || at->second.waited > 0;
    width = std::max(width, std::get<2>(at->first).size());
  }
  std::stable_sort(order.begin(), order.end(),
                   [](auto a, auto b) { return a->second.sum > b->second.sum; });
  std::string text = fmt::format(
      "collectives      {:<14} {:<6} {:<{}} {:>6} {:>12} {:>8} {:>12} {:>12} {:>12} {:>13} "
      "{:>12}{}\n",
      "operation", "group", "algorithm", width, "ranks", "size", "number", "shortest us", "mean us",
      "longest us", "bus bandwidth", "of line rate", waits ? "  before, waited us" : "");
  for (std::size_t i = 0; i < std::min(order.size(), kKindsShown); ++i) {
    const auto& [name, kind] = *order[i];
    const auto count = static_cast<double>(kind.count);
    text += fmt::format(
        "                 {:<14} {:<6} {:<{}} {:>6} {:>12} {:>8} {:>12.3f} {:>12.3f} {:>12.3f} "
        "{:>8.2f} GB/s {:>12}{}\n",
        std::get<0>(name), std::get<1>(name), std::get<2>(name), width, std::get<3>(name),
        ToText(Bytes{std::get<4>(name)}), kind.count, static_cast<double>(kind.shortest) * 1e-6,
        static_cast<double>(kind.sum) / count * 1e-6, static_cast<double>(kind.longest) * 1e-6,
        kind.sum > 0 ? kind.bus_bytes / static_cast<double>(kind.sum) * 1e3 : 0, LineRateText(kind),
        waits ? fmt::format("  {:>17.3f}", kind.waited / count * 1e-6) : "");
  }
  if (order.size() > kKindsShown)
    text += fmt::format("                 ... and {} more kinds\n", order.size() - kKindsShown);
  return text;
}

}  // namespace

std::string SummarizeJobs(const Table& jobs, const Table& ranks, const Table& collectives,
                          const Table& layers) {
  StepTimes times;
  times.AddJobs(jobs);
  times.AddRanks(ranks);
  times.AddLayers(layers);
  std::string text;
  for (const std::uint32_t job : GetColumn<std::uint32_t>(jobs, "job"))
    text += JobLines(job, times.Of(job));
  const std::map<KindName, Kind> kinds = KindsOf(collectives);
  return kinds.empty() ? text : text + KindLines(kinds);
}

}  // namespace heddle
