// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>

#include "core/base/table.h"
#include "io/analysis/port_totals.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Bins of equally many whole intervals. The last interval and the last bin end with the run.
struct TimeBins {
  std::int64_t begin = 0, width = 1;  ///< ps
  std::size_t count = 1;

  std::size_t Of(std::int64_t from) const {
    return std::min(count - 1, static_cast<std::size_t>((from - begin) / width));
  }
};

/// At most `most` bins for intervals of equal length; the last one may be shorter.
TimeBins WholeIntervals(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to,
                        std::size_t most) {
  std::int64_t interval = 1;
  for (std::size_t i = 0; i < from.size(); ++i) interval = std::max(interval, to[i] - from[i]);
  const std::int64_t begin = *std::min_element(from.begin(), from.end());
  const std::int64_t span =
      std::max<std::int64_t>(1, *std::max_element(to.begin(), to.end()) - begin);
  const std::int64_t intervals = (span - 1) / interval + 1;
  const std::int64_t per_bin = (intervals - 1) / static_cast<std::int64_t>(most) + 1;
  return {begin, per_bin * interval, static_cast<std::size_t>((intervals - 1) / per_bin + 1)};
}

}  // namespace

Json ReportTiers(const ReportSource& source) {
  struct Sum {
    double bytes = 0, share = 0, busiest = 0, queue = 0, marks = 0, pauses = 0, paused = 0;
  };
  const std::vector<PortTotals> ports = ReadPortTotals(source);
  if (ports.empty()) return nullptr;
  std::vector<Sum> sums(source.tiers().names().size());
  for (const PortTotals& port : ports) {
    Sum& sum = sums[source.tiers().Of(port.port)];
    const double share = UtilisationOf(source, port);
    sum.bytes += static_cast<double>(port.sent_bytes);
    sum.share += share;
    sum.busiest = std::max(sum.busiest, share);
    sum.queue = std::max(sum.queue, static_cast<double>(port.max_queued_bytes));
    sum.marks += static_cast<double>(port.ecn_marked);
    sum.pauses += static_cast<double>(port.pauses);
    sum.paused += static_cast<double>(port.paused_ps);
  }
  Json tiers = Json::array();
  for (std::uint32_t tier = 0; tier < sums.size(); ++tier) {
    const Sum& sum = sums[tier];
    const double links = source.tiers().links(tier);
    tiers.push_back({{"name", source.tiers().names()[tier]},
                     {"links", source.tiers().links(tier)},
                     {"bytes", sum.bytes},
                     {"mean", Rounded(sum.share / links)},
                     {"busiest", Rounded(sum.busiest)},
                     {"queue", sum.queue},
                     {"marks", sum.marks},
                     {"pauses", sum.pauses},
                     {"paused_ps", sum.paused}});
  }
  return tiers;
}

Json ReportTierLoad(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("tier_load")) return nullptr;
  const Table table = source.reader().ReadTable("tier_load");
  const auto& from = GetColumn<std::int64_t>(table, "from_ps");
  const auto& to = GetColumn<std::int64_t>(table, "to_ps");
  const auto& tier = GetColumn<std::string>(table, "tier");
  const auto& links = GetColumn<std::uint32_t>(table, "links");
  const auto& share = GetColumn<double>(table, "utilisation");
  const TimeBins bins = WholeIntervals(from, to, limits.time_bins);
  struct Row {
    std::uint32_t links = 0;
    /// By bin: sum of share times length of its intervals, and sum of the lengths [ps].
    std::vector<double> busy, length;
  };
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (std::size_t i = 0; i < from.size(); ++i) {
    Row& row = rows[tier[i]];
    if (row.busy.empty()) {
      order.push_back(tier[i]);
      row.busy.resize(bins.count);
      row.length.resize(bins.count);
    }
    row.links = links[i];
    const double length = static_cast<double>(to[i] - from[i]);
    row.busy[bins.Of(from[i])] += share[i] * length;
    row.length[bins.Of(from[i])] += length;
  }
  Json list = Json::array();
  for (const std::string& name : order) {
    const Row& row = rows[name];
    Json values = Json::array();
    for (std::size_t bin = 0; bin < bins.count; ++bin) {
      values.push_back(row.length[bin] > 0 ? std::lround(1000 * row.busy[bin] / row.length[bin])
                                           : 0);
    }
    list.push_back({{"name", name}, {"links", row.links}, {"values", values}});
  }
  return {{"from_ps", bins.begin}, {"bin_ps", bins.width}, {"rows", list}};
}

}  // namespace heddle
