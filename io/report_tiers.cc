// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>

#include "io/port_totals.h"
#include "io/report_parts.h"
#include "io/table_column.h"

namespace heddle {

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
  const auto [first, last] = std::pair{*std::min_element(from.begin(), from.end()), *std::max_element(to.begin(), to.end())};
  std::vector<std::int64_t> starts = from;
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const std::size_t bins = std::min(starts.size(), limits.time_bins);
  const double width = static_cast<double>(std::max<std::int64_t>(1, last - first)) / static_cast<double>(bins);
  struct Row {
    std::uint32_t links = 0;
    std::vector<double> busy;  ///< by bin, share times its length [ps]
  };
  std::vector<std::string> order;
  std::map<std::string, Row> rows;
  for (std::size_t i = 0; i < from.size(); ++i) {
    Row& row = rows[tier[i]];
    if (row.busy.empty()) {
      order.push_back(tier[i]);
      row.busy.resize(bins);
    }
    row.links = links[i];
    const double middle = (static_cast<double>(from[i]) + static_cast<double>(to[i])) / 2 - static_cast<double>(first);
    row.busy[std::min(bins - 1, static_cast<std::size_t>(middle / width))] += share[i] * static_cast<double>(to[i] - from[i]);
  }
  Json list = Json::array();
  for (const std::string& name : order) {
    Json values = Json::array();
    for (const double busy : rows[name].busy) values.push_back(std::lround(1000 * busy / width));
    list.push_back({{"name", name}, {"links", rows[name].links}, {"values", values}});
  }
  return {{"from_ps", first}, {"bin_ps", Rounded(width, 9)}, {"rows", list}};
}

}  // namespace heddle
