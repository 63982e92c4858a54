// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

/// Time that ports of each tier were paused, by bin [ps]. A port counts while one or more of its
/// priorities are paused.
class PausedTime {
 public:
  PausedTime(const ReportSource& source, std::size_t bins, double width)
      : source_(source),
        width_(width),
        sums_(source.tiers().names().size(), std::vector<double>(bins)) {}

  void Change(std::int64_t time, HopIndex port, std::uint8_t priority, bool pause) {
    State& state = states_[port];
    const bool was = state.paused != 0;
    const auto bit = static_cast<std::uint8_t>(1U << (priority & 7U));
    state.paused = static_cast<std::uint8_t>(pause ? state.paused | bit : state.paused & ~bit);
    if (!was && state.paused != 0) state.since = time;
    if (was && state.paused == 0) Add(port, state.since, time);
  }
  /// Counts pauses that are still active until the end.
  void End(std::int64_t time) {
    for (const auto& [port, state] : states_) {
      if (state.paused != 0) Add(port, state.since, time);
    }
  }
  const std::vector<double>& Of(std::uint32_t tier) const { return sums_[tier]; }

 private:
  struct State {
    std::uint8_t paused = 0;  ///< one bit for each priority
    std::int64_t since = 0;
  };
  void Add(HopIndex port, std::int64_t from, std::int64_t to) {
    std::vector<double>& sums = sums_[source_.tiers().Of(port)];
    double at = static_cast<double>(from);
    const double until = static_cast<double>(to);
    for (auto bin = static_cast<std::size_t>(at / width_); bin < sums.size() && at < until; ++bin) {
      const double edge = std::min(until, static_cast<double>(bin + 1) * width_);
      sums[bin] += std::max(0.0, edge - at);
      at = edge;
    }
  }

  const ReportSource& source_;
  double width_;
  std::vector<std::vector<double>> sums_;
  std::map<HopIndex, State> states_;
};

}  // namespace

Json ReportPauses(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("pfc")) return nullptr;
  const std::size_t bins = std::min<std::size_t>(limits.points, 500);
  const double width = static_cast<double>(source.end_ps()) / static_cast<double>(bins);
  PausedTime paused(source, bins, width);
  std::int64_t rows = 0;
  ForEachBlock(source.reader(), "pfc", {"time_ps", "node", "port", "priority", "pause"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& priority = GetColumn<std::uint8_t>(block, "priority");
                 const auto& pause = GetColumn<std::uint8_t>(block, "pause");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   paused.Change(time[i], source.HopOf("pfc", node[i], port[i]), priority[i],
                                 pause[i] != 0);
                   rows += pause[i] != 0 ? 1 : 0;
                 }
               });
  paused.End(source.end_ps());
  Json list = Json::array();
  for (std::uint32_t tier = 0; tier < source.tiers().names().size(); ++tier) {
    const std::vector<double>& sums = paused.Of(tier);
    if (std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; })) continue;
    Json values = Json::array();
    for (const double sum : sums)
      values.push_back(Rounded(sum / (width * source.tiers().links(tier)), 4));
    list.push_back({{"name", source.tiers().names()[tier]},
                    {"links", source.tiers().links(tier)},
                    {"values", values}});
  }
  return {{"from_ps", 0}, {"bin_ps", Rounded(width, 9)}, {"rows", list}, {"pauses", rows}};
}

Json ReportPauseCauses(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows("pause_causes")) return nullptr;
  const std::uint64_t all = source.reader().CountRows("pause_causes");
  const Table table = source.reader().ReadRows(
      "pause_causes", 0, std::min<std::uint64_t>({all, limits.table_rows, 20}),
      {"node", "port", "pauses", "paused_ps", "longest_chain"});  // longest first
  const auto& node = GetColumn<std::uint32_t>(table, "node");
  const auto& port = GetColumn<std::uint32_t>(table, "port");
  Json rows = Json::array();
  for (std::size_t i = 0; i < node.size(); ++i) {
    const HopIndex hop = source.HopOf("pause_causes", node[i], port[i]);
    rows.push_back({{"from", source.NodeName(node[i])},
                    {"to", source.PeerName(hop)},
                    {"port", port[i]},
                    {"tier", source.tiers().names()[source.tiers().Of(hop)]},
                    {"pauses", GetColumn<std::int64_t>(table, "pauses")[i]},
                    {"paused_ps", GetColumn<std::int64_t>(table, "paused_ps")[i]},
                    {"chain", GetColumn<std::uint32_t>(table, "longest_chain")[i]}});
  }
  return {{"rows", rows}, {"all", all}};
}

}  // namespace heddle
