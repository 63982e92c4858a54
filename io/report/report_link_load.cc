// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

constexpr const char* kTable = "monitors/links";

/// The times of the samples, and the bytes that each port sent over all of them.
struct Overview {
  /// Times [ps]; samples end at first, first + interval, ...
  std::int64_t first = 0, last = 0, interval = 0;
  std::map<HopIndex, std::int64_t> bytes;
};

/// Time between two samples [ps]: from the option, or else the shortest found in the table.
std::int64_t IntervalOf(const ReportSource& source, std::int64_t seen) {
  if (const auto text = source.root().Text("option monitor.link_interval")) {
    try {
      return std::max<std::int64_t>(1, ParseTime(*text).ps);
    } catch (const UserError&) {  // text of another version
    }
  }
  return std::max<std::int64_t>(1, seen);
}

Overview Survey(const ReportSource& source) {
  Overview overview;
  std::int64_t least = 0;
  bool any = false;
  ForEachBlock(source.reader(), kTable, {"time_ps", "node", "port", "sent_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   if (!any) overview.first = overview.last = time[i];
                   any = true;
                   const std::int64_t step = time[i] - overview.last;
                   if (step > 0 && (least == 0 || step < least)) least = step;
                   overview.last = std::max(overview.last, time[i]);
                   overview.bytes[source.HopOf(kTable, node[i], port[i])] += bytes[i];
                 }
               });
  overview.interval = IntervalOf(source, least);
  return overview;
}

/// At most `most` links: the busiest of every tier, in equal numbers as far as possible; by tier,
/// then by number.
std::vector<HopIndex> ChooseLinks(const ReportSource& source, const Overview& overview,
                                  std::size_t most) {
  struct Candidate {
    std::size_t rank = 0;
    double load = 0;
    HopIndex port = 0;
  };
  std::map<std::uint32_t, std::vector<Candidate>> by_tier;
  for (const auto& [port, bytes] : overview.bytes) {
    by_tier[source.tiers().Of(port)].push_back(
        {0, static_cast<double>(bytes) / source.RateOf(port), port});
  }
  std::vector<Candidate> all;
  for (auto& [tier, links] : by_tier) {
    std::stable_sort(links.begin(), links.end(),
                     [](const Candidate& a, const Candidate& b) { return a.load > b.load; });
    for (std::size_t i = 0; i < links.size() && i < most; ++i) {
      links[i].rank = i;
      all.push_back(links[i]);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  if (all.size() > most) all.resize(most);
  std::vector<HopIndex> chosen;
  for (const Candidate& link : all) chosen.push_back(link.port);
  std::sort(chosen.begin(), chosen.end(), [&](HopIndex a, HopIndex b) {
    return std::pair{source.tiers().Of(a), a} < std::pair{source.tiers().Of(b), b};
  });
  return chosen;
}

/// Bytes of each chosen link by bin.
std::vector<std::vector<double>> Fill(const ReportSource& source,
                                      const std::vector<HopIndex>& chosen, std::int64_t begin,
                                      std::int64_t width, std::size_t bins) {
  std::map<HopIndex, std::size_t> row_of;
  for (std::size_t i = 0; i < chosen.size(); ++i) row_of[chosen[i]] = i;
  std::vector<std::vector<double>> rows(chosen.size(), std::vector<double>(bins));
  ForEachBlock(
      source.reader(), kTable, {"time_ps", "node", "port", "sent_bytes"}, [&](const Table& block) {
        const auto& time = GetColumn<std::int64_t>(block, "time_ps");
        const auto& node = GetColumn<std::uint32_t>(block, "node");
        const auto& port = GetColumn<std::uint32_t>(block, "port");
        const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
        for (std::size_t i = 0; i < time.size(); ++i) {
          const auto row = row_of.find(source.HopOf(kTable, node[i], port[i]));
          if (row == row_of.end()) continue;
          const auto bin =
              static_cast<std::size_t>(std::max<std::int64_t>(0, time[i] - 1 - begin) / width);
          rows[row->second][std::min(bins - 1, bin)] += static_cast<double>(bytes[i]);
        }
      });
  return rows;
}

}  // namespace

Json ReportLinkLoad(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows(kTable)) return nullptr;
  const Overview overview = Survey(source);
  const std::int64_t begin = std::max<std::int64_t>(0, overview.first - overview.interval);
  const std::int64_t samples = std::max<std::int64_t>(
      1, (overview.last - begin + overview.interval - 1) / overview.interval);
  const std::int64_t per_bin = (samples + static_cast<std::int64_t>(limits.time_bins) - 1) /
                               static_cast<std::int64_t>(limits.time_bins);
  const std::int64_t width = per_bin * overview.interval;
  const auto bins = static_cast<std::size_t>((samples + per_bin - 1) / per_bin);
  const std::vector<HopIndex> chosen = ChooseLinks(source, overview, limits.heat_rows);
  const auto bytes = Fill(source, chosen, begin, width, bins);
  Json rows = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double full = source.RateOf(chosen[i]) / 8 * static_cast<double>(width) * 1e-12;
    Json values = Json::array();
    for (const double sent : bytes[i]) values.push_back(std::lround(1000 * sent / full));
    rows.push_back({{"name", source.LinkName(chosen[i])},
                    {"tier", source.tiers().names()[source.tiers().Of(chosen[i])]},
                    {"values", std::move(values)}});
  }
  return {{"from_ps", begin}, {"bin_ps", width}, {"rows", rows}, {"links", overview.bytes.size()}};
}

}  // namespace heddle
