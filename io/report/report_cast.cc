// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/table.h"
#include "io/report/report_parts.h"

namespace heddle {
namespace {

constexpr const char* kCastTable = "monitors/cast";

/// Sender, receiver, its name among their connections, priority.
using Connection = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint8_t>;

struct PairRow {
  std::int64_t time = 0, estimate = 0, bytes = 0;
  std::uint16_t pair = 0;
  double weight = 0;
};

struct Summary {
  std::vector<PairRow> last;  ///< by queue pair
  std::int64_t updates = 0;
  double least = 1, most = 0;  ///< weight of a queue pair at any time

  void Add(const PairRow& row) {
    if (last.size() <= row.pair) last.resize(row.pair + std::size_t{1});
    last[row.pair] = row;
    updates += row.pair == 0 ? 1 : 0;
    least = std::min(least, row.weight);
    most = std::max(most, row.weight);
  }
};

/// Calls `visit(connection, row)` for every row, in order of time.
template <class Visit>
void ForEachRow(const ReportSource& source, Visit visit) {
  ForEachBlock(source.reader(), kCastTable,
               {"time_ps", "src", "dst", "connection", "priority", "queue_pair", "weight",
                "estimate_ps", "posted_bytes"},
               [&](const Table& block) {
                 const auto& time = GetColumn<std::int64_t>(block, "time_ps");
                 const auto& src = GetColumn<std::uint32_t>(block, "src");
                 const auto& dst = GetColumn<std::uint32_t>(block, "dst");
                 const auto& name = GetColumn<std::uint32_t>(block, "connection");
                 const auto& priority = GetColumn<std::uint8_t>(block, "priority");
                 const auto& pair = GetColumn<std::uint16_t>(block, "queue_pair");
                 const auto& weight = GetColumn<double>(block, "weight");
                 const auto& estimate = GetColumn<std::int64_t>(block, "estimate_ps");
                 const auto& bytes = GetColumn<std::int64_t>(block, "posted_bytes");
                 for (std::size_t i = 0; i < time.size(); ++i) {
                   visit(Connection{src[i], dst[i], name[i], priority[i]},
                         PairRow{time[i], estimate[i], bytes[i], pair[i], weight[i]});
                 }
               });
}

Json RowOf(const Connection& connection, const Summary& summary) {
  std::int64_t bytes = 0, most_bytes = 0, least_estimate = 0, most_estimate = 0;
  for (const PairRow& row : summary.last) {
    bytes += row.bytes;
    most_bytes = std::max(most_bytes, row.bytes);
    most_estimate = std::max(most_estimate, row.estimate);
  }
  least_estimate = most_estimate;
  for (const PairRow& row : summary.last) least_estimate = std::min(least_estimate, row.estimate);
  const double share = bytes > 0 ? static_cast<double>(most_bytes) / static_cast<double>(bytes) : 0;
  return {{"src", std::get<0>(connection)},
          {"dst", std::get<1>(connection)},
          {"connection", std::get<2>(connection)},
          {"priority", std::get<3>(connection)},
          {"queue_pairs", summary.last.size()},
          {"updates", summary.updates},
          {"least_weight", Rounded(summary.least)},
          {"most_weight", Rounded(summary.most)},
          {"least_estimate_ps", least_estimate},
          {"most_estimate_ps", most_estimate},
          {"bytes", bytes},
          {"most_share", Rounded(share)}};
}

}  // namespace

Json ReportCast(const ReportSource& source, const ReportLimits& limits) {
  if (!source.HasRows(kCastTable)) return nullptr;
  std::map<Connection, Summary> connections;
  ForEachRow(source, [&](const Connection& connection, const PairRow& row) {
    connections[connection].Add(row);
  });
  // Connections whose weights were furthest apart come first.
  std::vector<std::pair<Connection, Summary>> order(connections.begin(), connections.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.most - a.second.least > b.second.most - b.second.least;
  });
  const Connection shown = order.front().first;
  const auto updates = static_cast<std::size_t>(order.front().second.updates);
  const std::size_t every = updates / limits.points + 1;
  const std::size_t pairs = std::min(order.front().second.last.size(), limits.queues);
  std::vector<std::vector<std::int64_t>> times(pairs), estimates(pairs), bytes(pairs);
  std::vector<std::vector<double>> weights(pairs);
  std::size_t update = 0;
  ForEachRow(source, [&](const Connection& connection, const PairRow& row) {
    if (connection != shown) return;
    update += row.pair == 0 ? 1 : 0;
    if (row.pair >= pairs || (update - 1) % every != 0) return;
    times[row.pair].push_back(row.time);
    weights[row.pair].push_back(Rounded(row.weight));
    estimates[row.pair].push_back(row.estimate);
    bytes[row.pair].push_back(row.bytes);
  });
  Json rows = Json::array(), curves = Json::array();
  for (std::size_t i = 0; i < std::min(order.size(), limits.table_rows); ++i)
    rows.push_back(RowOf(order[i].first, order[i].second));
  for (std::size_t pair = 0; pair < pairs; ++pair)
    curves.push_back({{"queue_pair", pair},
                      {"time_ps", times[pair]},
                      {"weight", weights[pair]},
                      {"estimate_ps", estimates[pair]},
                      {"bytes", bytes[pair]}});
  return {{"connections", order.size()},
          {"queue_pairs", order.front().second.last.size()},
          {"rows", rows},
          {"curves", curves}};
}

}  // namespace heddle
