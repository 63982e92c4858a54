// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/table.h"
#include "io/analysis/measured_times.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Properties common to the collectives of one row of the page.
struct Kind {
  std::string op, group_type, algorithm, protocol;
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;
  bool operator<(const Kind& o) const {
    return std::tie(op, group_type, ranks, algorithm, protocol, bytes) <
           std::tie(o.op, o.group_type, o.ranks, o.algorithm, o.protocol, o.bytes);
  }
};

struct Times {
  std::int64_t finished = 0, unfinished = 0, shortest = 0, longest = 0;
  double sum_ps = 0, wait_ps = 0, bus_factor = 1;
  double ideal_ps = 0, known_ps = 0;  ///< least times, and times of collectives with one
  double mean() const { return finished > 0 ? sum_ps / static_cast<double>(finished) : 0; }
  double mean_wait() const { return finished > 0 ? wait_ps / static_cast<double>(finished) : 0; }
};

/// Passes before `first_pass` warm up; the column "pass" is read if there are any.
void Count(const Table& block, std::uint32_t first_pass, std::map<Kind, Times>* kinds) {
  const auto& op = GetColumn<std::string>(block, "op");
  const auto& group = GetColumn<std::string>(block, "group_type");
  const auto& algorithm = GetColumn<std::string>(block, "algorithm");
  const auto& protocol = GetColumn<std::string>(block, "protocol");
  const auto& ranks = GetColumn<std::uint32_t>(block, "ranks");
  const auto& bytes = GetColumn<std::int64_t>(block, "bytes");
  const auto& time = GetColumn<std::int64_t>(block, "time_ps");
  const auto& wait = GetColumn<std::int64_t>(block, "wait_ps");
  const auto& ideal = GetColumn<std::int64_t>(block, "ideal_ps");
  const auto& algbw = GetColumn<double>(block, "algbw");
  const auto& busbw = GetColumn<double>(block, "busbw");
  for (std::size_t i = 0; i < op.size(); ++i) {
    if (first_pass > 0 && GetColumn<std::uint32_t>(block, "pass")[i] < first_pass) continue;
    Times& times = (*kinds)[{op[i], group[i], algorithm[i], protocol[i], ranks[i], bytes[i]}];
    if (time[i] < 0) {
      ++times.unfinished;
      continue;
    }
    const std::int64_t took = time[i];
    times.shortest = times.finished == 0 ? took : std::min(times.shortest, took);
    times.longest = std::max(times.longest, took);
    times.sum_ps += static_cast<double>(took);
    times.wait_ps += static_cast<double>(wait[i]);
    times.ideal_ps += static_cast<double>(ideal[i]);
    times.known_ps += ideal[i] > 0 ? static_cast<double>(took) : 0;
    ++times.finished;
    if (algbw[i] > 0) times.bus_factor = busbw[i] / algbw[i];
  }
}

}  // namespace

std::vector<KindOfCollective> LongestKinds(const ReportSource& source, std::size_t most) {
  if (!source.HasRows("collectives")) return {};
  struct Sum {
    double seconds = 0, bytes = 0;
  };
  std::map<std::string, Sum> sums;
  ForEachBlock(source.reader(), "collectives", {"op", "group_type", "time_ps", "busbw"},
               [&](const Table& block) {
                 const auto& op = GetColumn<std::string>(block, "op");
                 const auto& group = GetColumn<std::string>(block, "group_type");
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& busbw = GetColumn<double>(block, "busbw");
                 for (std::size_t i = 0; i < op.size(); ++i) {
                   if (time[i] < 0 || busbw[i] <= 0) continue;
                   const double seconds = static_cast<double>(time[i]) * 1e-12;
                   Sum& sum = sums[op[i] + " of " + group[i]];
                   sum.seconds += seconds;
                   sum.bytes += busbw[i] * seconds;
                 }
               });
  std::vector<KindOfCollective> kinds;
  for (const auto& [name, sum] : sums) {
    if (sum.seconds > 0) kinds.push_back({name, sum.seconds, sum.bytes / sum.seconds});
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  if (kinds.size() > most) kinds.resize(most);
  return kinds;
}

Json ReportCollectives(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("collectives")) return nullptr;
  std::map<Kind, Times> kinds;
  const std::uint32_t warmup = WarmupPasses(source.root());
  std::vector<std::string> columns = {"op",       "group_type", "algorithm", "protocol",
                                      "ranks",    "bytes",      "time_ps",   "wait_ps",
                                      "ideal_ps", "algbw",      "busbw"};
  if (warmup > 0) columns.emplace_back("pass");
  ForEachBlock(source.reader(), "collectives", columns,
               [&](const Table& block) { Count(block, warmup, &kinds); });
  std::vector<const std::pair<const Kind, Times>*> order;
  for (const auto& entry : kinds) order.push_back(&entry);
  if (order.size() > limits.table_rows) {  // keep kinds that took the longest in total
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return a->second.sum_ps > b->second.sum_ps;
    });
    order.resize(limits.table_rows);
    std::sort(order.begin(), order.end(),
              [](const auto* a, const auto* b) { return a->first < b->first; });
  }
  Json rows = Json::array();
  for (const auto* entry : order) {
    const auto& [kind, times] = *entry;
    const double seconds = times.mean() * 1e-12;
    // From the mean time, as in nccl-tests.
    const double algbw = seconds > 0 ? static_cast<double>(kind.bytes) / seconds : 0;
    rows.push_back(
        {{"op", kind.op},
         {"group", kind.group_type},
         {"ranks", kind.ranks},
         {"algorithm", kind.algorithm},
         {"protocol", kind.protocol},
         {"bytes", kind.bytes},
         {"finished", times.finished},
         {"unfinished", times.unfinished},
         {"mean_ps", Rounded(times.mean(), 7)},
         {"shortest_ps", times.shortest},
         {"longest_ps", times.longest},
         {"wait_ps", Rounded(times.mean_wait(), 7)},
         {"line_rate", times.known_ps > 0 ? Rounded(times.ideal_ps / times.known_ps) : 0},
         {"algbw", Rounded(algbw)},
         {"busbw", Rounded(algbw * times.bus_factor)}});
  }
  return {{"rows", rows}, {"all", kinds.size()}};
}

}  // namespace heddle
