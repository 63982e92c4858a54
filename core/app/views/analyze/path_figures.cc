// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/path_figures.h"

#include <fmt/format.h>

#include "core/base/units.h"

namespace heddle {
namespace {

constexpr int kPathsSchema = 1;

std::string ShareText(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "leaf 0:8, spine 1:0, leaf 3:4": ports of switches by name.
std::string NamedPath(const PathStudy& study, const std::vector<Hop>& path) {
  std::string text;
  for (const Hop& hop : path)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", NodeText(study, hop.node.value),
                        hop.port.value);
  return text;
}

OrderedJson ConnectionJson(const PathStudy& study, const ConnectionShares& one) {
  const auto& [source, destination, job, channel, priority] = one.name;
  return {{"src", source},
          {"dst", destination},
          {"src_name", NodeText(study, source)},
          {"dst_name", NodeText(study, destination)},
          {"job", NullUnless(study.has_jobs, job)},
          {"channel", NullUnless(study.has_jobs, channel)},
          {"priority", priority},
          {"messages", one.messages},
          {"bytes", one.bytes},
          {"time_ps", NullIfNegative(one.time_ps)},
          {"queue_pairs_count", one.queue_pairs},
          {"queue_pairs", PrintedList(QueuePairColumns(), RowsOf(study, one))}};
}

OrderedJson WeighedJson(const PathStudy& study, const WeighedConnection& one) {
  return {{"src", one.source},
          {"dst", one.destination},
          {"src_name", NodeText(study, one.source)},
          {"dst_name", NodeText(study, one.destination)},
          {"connection", one.connection},
          {"priority", one.priority},
          {"updates", one.updates},
          {"queue_pairs", PrintedList(WeightColumns(), RowsOf(one))}};
}

OrderedJson SummaryJson(const PathStudy& study) {
  if (study.connections.empty()) return nullptr;
  const PathMeans means = MeansOf(study.connections);
  return {{"mean_paths", means.paths},
          {"mean_least_share", means.least_share},
          {"mean_most_share", means.most_share},
          {"equal_share", 1.0 / study.queue_pairs},
          {"median_gain", OrNull(means.median_gain)}};
}

OrderedJson GainJson(const std::optional<PathGain>& gain) {
  if (!gain) return nullptr;
  const bool known = gain->connections > 0;
  return {{"against", gain->file},
          {"connections", gain->connections},
          {"mean", NullUnless(known, gain->mean)},
          {"p10", NullUnless(known, gain->p10)},
          {"p90", NullUnless(known, gain->p90)},
          {"slower", gain->slower}};
}

}  // namespace

std::vector<QueuePairRow> RowsOf(const PathStudy& study, const ConnectionShares& connection) {
  std::vector<QueuePairRow> rows;
  for (const PathShare& pair : connection.pairs) rows.push_back({study, connection, pair});
  return rows;
}

PrintedColumns<QueuePairRow> QueuePairColumns() {
  using Row = QueuePairRow;
  const auto share = [](const Row& row) {
    return static_cast<double>(row.pair.bytes) / static_cast<double>(row.connection.bytes);
  };
  return {{"source_port", [](const Row& row) { return row.pair.source_port; }, "source port", 13},
          {"share", share, "share", 8, [share](const Row& row) { return ShareText(share(row)); }},
          {"bytes", [](const Row& row) { return row.pair.bytes; }, "bytes", 12,
           [](const Row& row) { return ToText(Bytes{row.pair.bytes}); }},
          {"path", [](const Row& row) { return NullIfEmpty(NamedPath(row.study, row.pair.path)); },
           "  path (switch:port)", -1,
           [](const Row& row) {
             return "  " +
                    (row.pair.path.empty() ? "by packet" : NamedPath(row.study, row.pair.path));
           }}};
}

std::vector<WeightRow> RowsOf(const WeighedConnection& connection) {
  std::vector<WeightRow> rows;
  for (const WeighedConnection::Pair& pair : connection.pairs) rows.push_back({rows.size(), pair});
  return rows;
}

PrintedColumns<WeightRow> WeightColumns() {
  using Row = WeightRow;
  return {{"queue_pair", &Row::queue_pair, "queue pair", 12},
          {"weight", [](const Row& row) { return row.pair.weight; }, "weight", 8,
           [](const Row& row) { return ShareText(row.pair.weight); }},
          {"estimate_ps", [](const Row& row) { return row.pair.estimate_ps; }, "estimate", 12,
           [](const Row& row) {
             return fmt::format("{:.2f} us", Time{row.pair.estimate_ps}.microseconds());
           }},
          {"posted_bytes", [](const Row& row) { return row.pair.posted_bytes; }, "posted", 12,
           [](const Row& row) { return ToText(Bytes{row.pair.posted_bytes}); }}};
}

std::string NodeText(const PathStudy& study, std::uint32_t node) {
  return node < study.node_names.size() ? study.node_names[node] : fmt::format("node {}", node);
}

OrderedJson PathsJson(const PathStudy& study, std::size_t shown,
                      const std::optional<PathGain>& gain) {
  OrderedJson document = JsonDocument("analyze paths", kPathsSchema);
  document["result"] = study.file;
  document["scheduler"] = study.scheduler;
  document["queue_pairs_per_connection"] = study.queue_pairs;
  document["connections_count"] = study.connections.size();
  document["summary"] = SummaryJson(study);
  document["gain"] = GainJson(gain);
  document["connections"] = OrderedJson::array();
  for (const ConnectionShares* one : FurthestShares(study.connections, shown))
    document["connections"].push_back(ConnectionJson(study, *one));
  document["weights"] = OrderedJson::array();
  for (const WeighedConnection* one : FurthestWeights(study.weighed, shown))
    document["weights"].push_back(WeighedJson(study, *one));
  return document;
}

}  // namespace heddle
