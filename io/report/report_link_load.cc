// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>
#include <optional>

#include "core/base/check.h"
#include "core/base/sample_grid.h"
#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

constexpr const char* kLinkTable = "monitors/links";

/// The times of the samples, and the bytes that each port sent over all of them.
struct Overview {
  std::int64_t first = 0, last = 0, least = 0;  ///< times of samples, least distance of two [ps]
  std::map<HopIndex, std::int64_t> bytes;
};

/// Time of an attribute "option ...", or nothing: the text of another version, or "auto".
std::optional<Time> OptionTime(const ReportSource& source, const std::string& key) {
  const auto text = source.root().Text("option " + key);
  if (!text) return std::nullopt;
  try {
    return ParseTime(*text);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// When the monitor sampled. Results that do not say: the shortest interval found.
SampleGrid GridOf(const ReportSource& source, std::int64_t seen) {
  const Time start = OptionTime(source, "monitor.start").value_or(Time{0});
  if (source.root().Text("option monitor.link_interval").value_or("") == "auto")
    return {start, SampleGrid::kAutomatic};
  const Time interval = OptionTime(source, "monitor.link_interval").value_or(Time{seen});
  return {start, std::max(interval, PicoSeconds(1))};
}

Overview Survey(const ReportSource& source) {
  Overview overview;
  bool any = false;
  ForEachBlock(source.reader(), kLinkTable, {"time_ps", "node", "port", "sent_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   if (!any) overview.first = overview.last = time[i];
                   any = true;
                   const std::int64_t step = time[i] - overview.last;
                   if (step > 0 && (overview.least == 0 || step < overview.least))
                     overview.least = step;
                   overview.last = std::max(overview.last, time[i]);
                   overview.bytes[source.HopOf(kLinkTable, node[i], port[i])] += bytes[i];
                 }
               });
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
  ForEachBlock(source.reader(), kLinkTable, {"time_ps", "node", "port", "sent_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& bytes = GetColumn<std::int64_t>(block, "sent_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   const auto row = row_of.find(source.HopOf(kLinkTable, node[i], port[i]));
                   if (row == row_of.end()) continue;
                   const auto bin = static_cast<std::size_t>(
                       std::max<std::int64_t>(0, time[i] - 1 - begin) / width);
                   rows[row->second][std::min(bins - 1, bin)] += static_cast<double>(bytes[i]);
                 }
               });
  return rows;
}

}  // namespace

Json ReportLinkLoad(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows(kLinkTable)) return nullptr;
  const Overview overview = Survey(source);
  const SampleGrid grid = GridOf(source, overview.least);
  const auto after_start = [&](std::int64_t time) {
    return std::max(Time{time}, grid.start() + PicoSeconds(1));
  };
  // The widest interval is the last, and consists of whole earlier ones.
  const std::int64_t interval = grid.IntervalOf(after_start(overview.last)).ps;
  const std::int64_t first = grid.Before(after_start(overview.first)).ps - grid.start().ps;
  const std::int64_t begin = grid.start().ps + first / interval * interval;
  const std::int64_t samples =
      std::max<std::int64_t>(1, (overview.last - begin + interval - 1) / interval);
  const std::int64_t per_bin = (samples + static_cast<std::int64_t>(limits.time_bins) - 1) /
                               static_cast<std::int64_t>(limits.time_bins);
  const std::int64_t width = per_bin * interval;
  const auto bins = static_cast<std::size_t>((samples + per_bin - 1) / per_bin);
  const std::vector<HopIndex> chosen = ChooseLinks(source, overview, limits.heat_rows);
  const auto bytes = Fill(source, chosen, begin, width, bins);
  // The last bin ends with the run.
  const std::int64_t last_begin = begin + width * (static_cast<std::int64_t>(bins) - 1);
  const std::int64_t end = std::max(overview.last, std::min(source.end_ps(), last_begin + width));
  Json rows = Json::array();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Json values = Json::array();
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::int64_t length =
          bin + 1 < bins ? width : std::max<std::int64_t>(1, end - last_begin);
      const double full = source.RateOf(chosen[i]) / 8 * static_cast<double>(length) * 1e-12;
      values.push_back(std::lround(1000 * bytes[i][bin] / full));
    }
    rows.push_back({{"name", source.LinkName(chosen[i])},
                    {"tier", source.tiers().names()[source.tiers().Of(chosen[i])]},
                    {"values", std::move(values)}});
  }
  return {{"from_ps", begin},
          {"bin_ps", width},
          {"end_ps", end},
          {"rows", rows},
          {"links", overview.bytes.size()}};
}

}  // namespace heddle
