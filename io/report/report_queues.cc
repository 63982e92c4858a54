// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

constexpr const char* kQueueTable = "monitors/queues";

/// Calls `visit(time, port, bytes of the port)` for every row, in order of time.
template <class Visit>
void ForEachSample(const ReportSource& source, Visit visit) {
  ForEachBlock(source.reader(), kQueueTable, {"time_ps", "node", "port", "port_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& node = GetColumn<std::uint32_t>(block, "node");
                 const auto& port = GetColumn<std::uint32_t>(block, "port");
                 const auto& bytes = GetColumn<std::int64_t>(block, "port_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i)
                   visit(time[i], source.HopOf(kQueueTable, node[i], port[i]), bytes[i]);
               });
}

/// The longest queue of a port in each bin of time. A row is written when the length changes, so
/// its value holds until the next row.
class Curve {
 public:
  explicit Curve(std::size_t bins) : most_(bins, -1), last_(bins, -1) {}
  void Add(std::size_t bin, std::int64_t bytes) {
    most_[bin] = std::max(most_[bin], bytes);
    last_[bin] = bytes;
  }
  Json Values() const {
    Json values = Json::array();
    std::int64_t held = 0;
    for (std::size_t bin = 0; bin < most_.size(); ++bin) {
      values.push_back(most_[bin] < 0 ? held : most_[bin]);
      if (last_[bin] >= 0) held = last_[bin];
    }
    return values;
  }

 private:
  std::vector<std::int64_t> most_, last_;  ///< -1: no row
};

}  // namespace

Json ReportQueues(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows(kQueueTable)) return nullptr;
  std::map<HopIndex, std::int64_t> longest;
  std::int64_t samples = 0, latest = -1;
  std::int64_t end = source.end_ps();
  ForEachSample(source, [&](std::int64_t time, HopIndex port, std::int64_t bytes) {
    std::int64_t& most = longest[port];
    most = std::max(most, bytes);
    end = std::max(end, time);
    samples += time > latest ? 1 : 0;
    latest = std::max(latest, time);
  });
  std::vector<std::pair<HopIndex, std::int64_t>> order(longest.begin(), longest.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.size() > limits.queues) order.resize(limits.queues);
  const std::size_t bins = limits.points;
  const double width = static_cast<double>(end + 1) / static_cast<double>(bins);
  std::map<HopIndex, Curve> curves;
  for (const auto& [port, bytes] : order) curves.emplace(port, Curve(bins));
  ForEachSample(source, [&](std::int64_t time, HopIndex port, std::int64_t bytes) {
    const auto curve = curves.find(port);
    if (curve == curves.end()) return;
    curve->second.Add(
        std::min(bins - 1, static_cast<std::size_t>(static_cast<double>(time) / width)), bytes);
  });
  Json rows = Json::array();
  for (const auto& [port, most] : order) {
    rows.push_back({{"name", source.LinkName(port)},
                    {"tier", source.tiers().names()[source.tiers().Of(port)]},
                    {"most", most},
                    {"values", curves.at(port).Values()}});
  }
  return {{"from_ps", 0},
          {"bin_ps", Rounded(width, 9)},
          {"rows", rows},
          {"ports", longest.size()},
          {"samples", samples}};
}

}  // namespace heddle
