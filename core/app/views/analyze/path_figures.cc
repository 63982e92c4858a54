// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/analyze/path_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
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

double SpreadOfWeights(const WeighedConnection& one) {
  double least = 1, most = 0;
  for (const WeighedConnection::Pair& pair : one.pairs) {
    least = std::min(least, pair.weight);
    most = std::max(most, pair.weight);
  }
  return most - least;
}

/// The first `most` of `all` by `before`, without changing their order else.
template <class Item, class Before>
std::vector<const Item*> First(const std::vector<Item>& all, std::size_t most,
                               const Before& before) {
  std::vector<const Item*> order;
  for (const Item& item : all) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Item* a, const Item* b) { return before(*a, *b); });
  order.resize(std::min(order.size(), most));
  return order;
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
  const PathMeans means = MeansOf(study);
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

PathMeans MeansOf(const PathStudy& study) {
  PathMeans means;
  std::vector<double> gains;
  for (const ConnectionShares& one : study.connections) {
    means.paths += static_cast<double>(one.distinct_paths());
    means.least_share += one.least_share();
    means.most_share += one.most_share();
    gains.push_back(one.most_gain());
  }
  const auto number = static_cast<double>(gains.size());
  for (double* sum : {&means.paths, &means.least_share, &means.most_share}) *sum /= number;
  const auto middle = gains.begin() + static_cast<std::ptrdiff_t>(gains.size() / 2);
  std::nth_element(gains.begin(), middle, gains.end());
  if (std::isfinite(*middle)) means.median_gain = *middle;
  return means;
}

PathGain GainOver(const PathStudy& study, const ConnectionTimes& other, const std::string& file) {
  const auto same = [](const auto& a, const auto& b) {
    return a.first == b.first && a.second.bytes == b.second.bytes;
  };
  if (!std::equal(study.times.begin(), study.times.end(), other.begin(), other.end(), same)) {
    FailInput({file, 0}, fmt::format("other traffic than {}", study.file),
              "a result with the same bytes of each connection");
  }
  std::vector<double> gains;
  for (const auto& [name, here] : study.times) {
    const std::int64_t there = other.at(name).time_ps;
    if (here.time_ps > 0 && there >= 0)
      gains.push_back(static_cast<double>(there) / static_cast<double>(here.time_ps) - 1);
  }
  PathGain found{file, gains.size()};
  if (gains.empty()) return found;
  std::sort(gains.begin(), gains.end());
  for (const double gain : gains) {
    found.mean += gain;
    if (gain < 0) ++found.slower;
  }
  found.mean /= static_cast<double>(gains.size());
  const auto at = [&](double share) {
    return gains[static_cast<std::size_t>(share * static_cast<double>(gains.size() - 1))];
  };
  found.p10 = at(0.1);
  found.p90 = at(0.9);
  return found;
}

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

std::vector<const ConnectionShares*> FurthestShares(const PathStudy& study, std::size_t shown) {
  return First(study.connections, shown, [](const ConnectionShares& a, const ConnectionShares& b) {
    return a.most_share() - a.least_share() > b.most_share() - b.least_share();
  });
}

std::vector<const WeighedConnection*> FurthestWeights(const PathStudy& study, std::size_t shown) {
  return First(study.weighed, shown, [](const WeighedConnection& a, const WeighedConnection& b) {
    return SpreadOfWeights(a) > SpreadOfWeights(b);
  });
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
  for (const ConnectionShares* one : FurthestShares(study, shown))
    document["connections"].push_back(ConnectionJson(study, *one));
  document["weights"] = OrderedJson::array();
  for (const WeighedConnection* one : FurthestWeights(study, shown))
    document["weights"].push_back(WeighedJson(study, *one));
  return document;
}

}  // namespace heddle
