// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/flow_distribution.h"

#include <algorithm>

#include "core/base/table.h"

namespace heddle {
namespace {

using I64 = std::vector<std::int64_t>;
using F64 = std::vector<double>;

/// A size class during the count of rows of table "flows".
struct Counting {
  SizeClass sums;
  double fct_sum = 0, slowdown_sum = 0;
  LogHistogram slowdowns;

  void AddSlowdown(double slowdown) {
    sums.slowdown_max = std::max(sums.slowdown_max, slowdown);
    slowdown_sum += slowdown;
    slowdowns.Add(slowdown);
  }
};

/// The largest power of two that is not above `bytes`; 0 for 0.
std::int64_t ClassOf(std::int64_t bytes) {
  std::int64_t from = bytes > 0 ? 1 : 0;
  while (from > 0 && from <= bytes / 2) from *= 2;
  return from;
}

void CountUnfinished(const ReportSource& source, ReportedFlows* statistics) {
  if (!source.Has("flows")) return;
  ForEachBlock(source.reader(), "flows", {"fct_ps", "state"}, [&](const Table& block) {
    const auto& fct = GetColumn<std::int64_t>(block, "fct_ps");
    const auto& state = GetColumn<std::uint8_t>(block, "state");
    for (std::size_t i = 0; i < fct.size(); ++i) {
      if (fct[i] < 0) ++statistics->unfinished_by_state[std::min<std::size_t>(state[i], 5)];
    }
  });
}

void CountFinished(const ReportSource& source, ReportedFlows* statistics) {
  std::map<std::int64_t, Counting> classes;
  LogHistogram fcts;
  ForEachBlock(source.reader(), "flows", {"size_bytes", "fct_ps", "ideal_ps"},
               [&](const Table& block) {
                 const auto& size = GetColumn<std::int64_t>(block, "size_bytes");
                 const auto& fct = GetColumn<std::int64_t>(block, "fct_ps");
                 const auto& ideal = GetColumn<std::int64_t>(block, "ideal_ps");
                 for (std::size_t i = 0; i < fct.size(); ++i) {
                   if (fct[i] < 0) continue;
                   Counting& count = classes[ClassOf(size[i])];
                   ++count.sums.flows;
                   count.sums.bytes += size[i];
                   count.sums.fct_max_ps = std::max(count.sums.fct_max_ps, fct[i]);
                   count.fct_sum += static_cast<double>(fct[i]);
                   fcts.Add(static_cast<double>(fct[i]));
                   if (ideal[i] > 0)
                     count.AddSlowdown(static_cast<double>(fct[i]) / static_cast<double>(ideal[i]));
                 }
               });
  for (auto& [from, count] : classes) {
    count.sums.from_bytes = from;
    count.sums.to_bytes = std::max<std::int64_t>(1, 2 * from);
    count.sums.fct_mean_ps = count.fct_sum / static_cast<double>(count.sums.flows);
    count.sums.slowdowns = count.slowdowns.bins();
    const auto slowdowns = static_cast<double>(CountOf(count.sums.slowdowns));
    if (slowdowns > 0) count.sums.slowdown_mean = count.slowdown_sum / slowdowns;
    statistics->sizes.push_back(std::move(count.sums));
  }
  statistics->fct_ps = fcts.bins();
}

void ReadSizes(const ReportSource& source, ReportedFlows* statistics) {
  const Table table = source.reader().ReadTable("flow_sizes");
  const auto& from = GetColumn<std::int64_t>(table, "from_bytes");
  for (std::size_t i = 0; i < from.size(); ++i) {
    SizeClass size;
    size.from_bytes = from[i];
    size.to_bytes = GetColumn<std::int64_t>(table, "to_bytes")[i];
    size.flows = GetColumn<std::int64_t>(table, "flows")[i];
    size.bytes = GetColumn<std::int64_t>(table, "bytes")[i];
    size.fct_mean_ps = GetColumn<double>(table, "fct_mean_ps")[i];
    size.fct_max_ps = GetColumn<std::int64_t>(table, "fct_max_ps")[i];
    size.slowdown_mean = GetColumn<double>(table, "slowdown_mean")[i];
    size.slowdown_max = GetColumn<double>(table, "slowdown_max")[i];
    statistics->sizes.push_back(size);
  }
}

void ReadHistograms(const ReportSource& source, ReportedFlows* statistics) {
  const Table fct = source.reader().ReadTable("fct_histogram");
  const I64& fct_from = GetColumn<std::int64_t>(fct, "fct_from_ps");
  const I64& fct_to = GetColumn<std::int64_t>(fct, "fct_to_ps");
  const I64& fct_flows = GetColumn<std::int64_t>(fct, "flows");
  for (std::size_t i = 0; i < fct_from.size(); ++i) {
    statistics->fct_ps.push_back(
        {static_cast<double>(fct_from[i]), static_cast<double>(fct_to[i]), fct_flows[i]});
  }
  const Table slowdown = source.reader().ReadTable("slowdown_histogram");
  const I64& bytes = GetColumn<std::int64_t>(slowdown, "from_bytes");
  const F64& from = GetColumn<double>(slowdown, "slowdown_from");
  const F64& to = GetColumn<double>(slowdown, "slowdown_to");
  const I64& flows = GetColumn<std::int64_t>(slowdown, "flows");
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {  // both tables ascend by size
    while (at < statistics->sizes.size() && statistics->sizes[at].from_bytes < bytes[i]) ++at;
    if (at < statistics->sizes.size() && statistics->sizes[at].from_bytes == bytes[i]) {
      statistics->sizes[at].slowdowns.push_back({from[i], to[i], flows[i]});
    }
  }
}

}  // namespace

std::int64_t ReportedFlows::bytes() const {
  std::int64_t sum = 0;
  for (const SizeClass& size : sizes) sum += size.bytes;
  return sum;
}

double ReportedFlows::fct_mean_ps() const {
  double sum = 0, flows = 0;
  for (const SizeClass& size : sizes) {
    sum += size.fct_mean_ps * static_cast<double>(size.flows);
    flows += static_cast<double>(size.flows);
  }
  return flows > 0 ? sum / flows : 0;
}

std::int64_t ReportedFlows::fct_max_ps() const {
  std::int64_t most = 0;
  for (const SizeClass& size : sizes) most = std::max(most, size.fct_max_ps);
  return most;
}

double ReportedFlows::fct_ps_at(double share) const {
  return std::min(static_cast<double>(fct_max_ps()), QuantileOf(fct_ps, share));
}

double ReportedFlows::slowdown_mean() const {
  double sum = 0, flows = 0;
  for (const SizeClass& size : sizes) {
    const auto with_ideal = static_cast<double>(CountOf(size.slowdowns));
    sum += size.slowdown_mean * with_ideal;
    flows += with_ideal;
  }
  return flows > 0 ? sum / flows : 0;
}

double ReportedFlows::slowdown_max() const {
  double most = 0;
  for (const SizeClass& size : sizes) most = std::max(most, size.slowdown_max);
  return most;
}

std::vector<Bin> ReportedFlows::slowdowns() const {
  std::vector<std::vector<Bin>> parts;
  for (const SizeClass& size : sizes) parts.push_back(size.slowdowns);
  return MergeBins(parts);
}

ReportedFlows ReadReportedFlows(const ReportSource& source) {
  ReportedFlows statistics;
  CountUnfinished(source, &statistics);
  if (source.Has("flow_sizes") && source.Has("slowdown_histogram") && source.Has("fct_histogram")) {
    ReadSizes(source, &statistics);
    ReadHistograms(source, &statistics);
  } else if (source.Has("flows")) {
    CountFinished(source, &statistics);
    // Before format 2.0, a workload's run may keep only the flows that did not finish.
    statistics.whole = CountOf(statistics.fct_ps) > 0 || !source.Has("jobs");
  }
  statistics.finished = CountOf(statistics.fct_ps);
  statistics.planned = statistics.finished;
  for (const std::int64_t flows : statistics.unfinished_by_state) statistics.planned += flows;
  statistics.finished = source.root().Integer("flows_finished").value_or(statistics.finished);
  statistics.planned = source.root().Integer("flows_planned").value_or(statistics.planned);
  return statistics;
}

}  // namespace heddle
