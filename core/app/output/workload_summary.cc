// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/output/workload_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr std::size_t kKindsShown = 12;

std::int64_t Sum(const Table& layers, const std::string& column, std::uint32_t job) {
  const auto& values = GetColumn<std::int64_t>(layers, column);
  const auto& jobs = GetColumn<std::uint32_t>(layers, "job");
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (jobs[i] == job) sum += values[i];
  }
  return sum;
}

/// "job 0  12.3 ms: computing 80.1 %, waiting for communication 19.9 % (forward 10.0 %, ...)", over
/// all its GPUs.
std::string JobLine(const Table& jobs, const Table& layers, std::size_t row) {
  const std::uint32_t job = GetColumn<std::uint32_t>(jobs, "job")[row];
  const std::int64_t end = GetColumn<std::int64_t>(jobs, "end_ps")[row];
  const std::int64_t start = GetColumn<std::int64_t>(jobs, "start_ps")[row];
  if (end < 0) return fmt::format("job {:<12} did not end\n", job);
  const double whole = std::max<double>(
      1, static_cast<double>(end - start) * GetColumn<std::uint32_t>(jobs, "gpus")[row]);
  const auto share = [&](const char* kind, const char* phase) {
    return 100 * static_cast<double>(Sum(layers, fmt::format("{}_{}_ps", phase, kind), job)) /
           whole;
  };
  const double compute = share("compute", "fwd") + share("compute", "ig") + share("compute", "wg");
  return fmt::format(
      "job {:<12} {:.3f} us; its GPUs computed {:.2f} % of the time and waited for forward {:.2f} "
      "%, input gradient {:.2f} %, weight "
      "gradient {:.2f} %\n",
      job, static_cast<double>(end - start) * 1e-6, compute, share("exposed", "fwd"),
      share("exposed", "ig"), share("exposed", "wg"));
}

struct Kind {
  std::int64_t count = 0, shortest = INT64_MAX, longest = 0, sum = 0;
  double bus_bytes = 0;  ///< bytes times the bus factor
};

}  // namespace

std::string SummarizeJobs(const Table& jobs, const Table& collectives, const Table& layers) {
  std::string text;
  for (std::size_t row = 0; row < GetColumn<std::uint32_t>(jobs, "job").size(); ++row)
    text += JobLine(jobs, layers, row);
  const auto& op = GetColumn<std::string>(collectives, "op");
  const auto& group = GetColumn<std::string>(collectives, "group_type");
  const auto& algorithm = GetColumn<std::string>(collectives, "algorithm");
  const auto& ranks = GetColumn<std::uint32_t>(collectives, "ranks");
  const auto& bytes = GetColumn<std::int64_t>(collectives, "bytes");
  const auto& start = GetColumn<std::int64_t>(collectives, "start_ps");
  const auto& end = GetColumn<std::int64_t>(collectives, "end_ps");
  const auto& bus = GetColumn<double>(collectives, "busbw");
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::int64_t>, Kind>
      kinds;
  for (std::size_t i = 0; i < op.size(); ++i) {
    if (end[i] < 0) continue;
    Kind& kind = kinds[{op[i], group[i], algorithm[i], ranks[i], bytes[i]}];
    const std::int64_t taken = end[i] - start[i];
    ++kind.count;
    kind.shortest = std::min(kind.shortest, taken);
    kind.longest = std::max(kind.longest, taken);
    kind.sum += taken;
    kind.bus_bytes += bus[i] * static_cast<double>(taken) * 1e-12;
  }
  if (kinds.empty()) return text;
  std::vector<decltype(kinds)::const_iterator> order;
  for (auto at = kinds.cbegin(); at != kinds.cend(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(),
                   [](auto a, auto b) { return a->second.sum > b->second.sum; });
  text += fmt::format(
      "collectives      {:<14} {:<6} {:<10} {:>6} {:>12} {:>8} {:>12} {:>12} {:>12} {:>13}\n",
      "operation", "group", "algorithm", "ranks", "size", "number", "shortest us", "mean us",
      "longest us", "bus bandwidth");
  for (std::size_t i = 0; i < std::min(order.size(), kKindsShown); ++i) {
    const auto& [name, kind] = *order[i];
    const auto count = static_cast<double>(kind.count);
    text += fmt::format(
        "                 {:<14} {:<6} {:<10} {:>6} {:>12} {:>8} {:>12.3f} {:>12.3f} {:>12.3f} "
        "{:>8.2f} GB/s\n",
        std::get<0>(name), std::get<1>(name), std::get<2>(name), std::get<3>(name),
        ToText(Bytes{std::get<4>(name)}), kind.count, static_cast<double>(kind.shortest) * 1e-6,
        static_cast<double>(kind.sum) / count * 1e-6, static_cast<double>(kind.longest) * 1e-6,
        kind.sum > 0 ? kind.bus_bytes / static_cast<double>(kind.sum) * 1e3 : 0);
  }
  if (order.size() > kKindsShown)
    text += fmt::format("                 ... and {} more kinds\n", order.size() - kKindsShown);
  return text;
}

}  // namespace heddle
