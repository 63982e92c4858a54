// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/congestion_json.h"

#include <utility>
#include <vector>

#include "core/app/studies/static_study/run_means.h"
#include "core/app/studies/static_study/statistics.h"
#include "core/app/studies/static_study/worst_cables.h"
#include "topology/load/cable_tiers.h"

namespace heddle {
namespace {

constexpr int kCongestionSchema = 1;
constexpr std::size_t kMostWorst = 20;

PrintedColumns<Statistics> StatisticsColumns() {
  return {{"mean", &Statistics::mean},
          {"error", &Statistics::error},
          {"least", &Statistics::least},
          {"most", &Statistics::most}};
}

PrintedColumns<CableTier> CableTierColumns() {
  return {{"tier", &CableTier::name},
          {"cables", &CableTier::cables},
          {"unused", &CableTier::unused},
          {"messages", &CableTier::messages},
          {"most_at_once", &CableTier::peak}};
}

/// A cable with the most messages that it had at once.
struct WorstCableRow {
  const StaticPaths& paths;
  const WorstCable& worst;
};

OrderedJson SharersJson(const WorstCableRow& row) {
  OrderedJson sharers = OrderedJson::array();
  for (const HostPair& pair : row.worst.sharers)
    sharers.push_back({{"src", row.paths.HostLabel(pair.source)},
                       {"dst", row.paths.HostLabel(pair.destination)}});
  return sharers;
}

PrintedColumns<WorstCableRow> WorstCableColumns() {
  using Row = WorstCableRow;
  return {{"cable", [](const Row& row) { return row.paths.CableName(row.worst.cable); }},
          {"most_at_once", [](const Row& row) { return row.worst.peak.messages; }},
          {"run", [](const Row& row) { return row.worst.peak.run; }},
          {"level", [](const Row& row) { return row.worst.peak.level; }},
          {"sharers", SharersJson}};
}

PrintedColumns<std::pair<const double, std::uint64_t>> WeightColumns() {
  using Weight = std::pair<const double, std::uint64_t>;
  return {{"weight", [](const Weight& weight) { return weight.first; }},
          {"messages", [](const Weight& weight) { return weight.second; }}};
}

/// A message of the packets' check by its ends.
struct CheckedRow {
  const StaticPaths& paths;
  const CheckedMessage& message;
};

PrintedColumns<CheckedRow> CheckedColumns() {
  using Row = CheckedRow;
  return {{"level", [](const Row& row) { return row.message.level; }},
          {"src", [](const Row& row) { return row.paths.HostLabel(row.message.source); }},
          {"dst", [](const Row& row) { return row.paths.HostLabel(row.message.destination); }},
          {"weight", [](const Row& row) { return row.message.weight; }},
          {"share_of_packets",
           [](const Row& row) { return NullUnless(row.message.share > 0, row.message.share); }}};
}

OrderedJson Spread(const std::vector<double>& values) {
  return PrintedObject(StatisticsColumns(), StatisticsOf(values));
}

}  // namespace

OrderedJson CongestionDocument(const std::string& source, const std::string& routes) {
  OrderedJson document = JsonDocument("congestion", kCongestionSchema);
  document["network"] = source;
  document["routes"] = NullIfEmpty(routes);
  for (const char* part : {"study", "queue_pairs", "packets", "route_check", "route_quality"})
    document[part] = nullptr;
  return document;
}

OrderedJson StudyJson(const StaticPaths& paths, const CongestionRequest& request,
                      const CongestionStudy& study) {
  const RunMeans means = MeansOf(study);
  const std::vector<WorstCable> worst = FindWorstCables(paths, request, study, kMostWorst);
  std::vector<WorstCableRow> rows;
  for (const WorstCable& one : worst) rows.push_back({paths, one});
  const auto spread = [&](const Statistics& of) {
    return NullUnless(means.messages > 0, PrintedObject(StatisticsColumns(), of));
  };
  return {{"hosts", paths.host_count()},
          {"cables", paths.cable_count()},
          {"pattern", request.pattern.text},
          {"ranks", request.pattern.ranks},
          {"runs", study.runs.size()},
          {"seed", request.seed},
          {"messages", means.messages},
          {"messages_without_way", means.no_route},
          {"messages_in_loop", means.loops},
          {"bandwidth", spread(means.bandwidth)},
          {"sum_of_maxima", spread(means.congestion)},
          {"delay", spread(means.delay)},
          {"weights", PrintedList(WeightColumns(), study.totals.weights)},
          {"tiers", PrintedList(CableTierColumns(), TiersOf(paths, study.totals))},
          {"worst_cables", PrintedList(WorstCableColumns(), rows)}};
}

OrderedJson QueuePairsJson(const QueuePairSplit& split) {
  std::vector<double> gains;
  for (std::size_t run = 0; run < split.even.size(); ++run)
    gains.push_back(split.best[run] / split.even[run] - 1);
  return {{"queue_pairs", split.queue_pairs},
          {"even_share", Spread(split.even)},
          {"best_share", Spread(split.best)},
          {"gain", Spread(gains)},
          {"tolerance", split.tolerance}};
}

OrderedJson PacketsJson(const StaticPaths& paths, const PacketCheck& check) {
  std::vector<CheckedRow> rows;
  for (const CheckedMessage& message : check.messages) rows.push_back({paths, message});
  return {{"levels", check.levels},
          {"levels_left_out", check.levels_left_out},
          {"ecn_marked", check.marked},
          {"pauses", check.pauses},
          {"timeouts", check.timeouts},
          {"dropped_packets", check.dropped},
          {"messages", PrintedList(CheckedColumns(), rows)}};
}

OrderedJson RouteCheckJson(const RouteCheck& check) {
  return {{"whole", check.whole}, {"text", check.text}};
}

OrderedJson RouteQualityJson(const RouteQuality& quality) {
  return {{"pairs", quality.pairs},
          {"least", quality.least},
          {"most", quality.most},
          {"mean", quality.mean},
          {"sigma", quality.sigma}};
}

}  // namespace heddle
