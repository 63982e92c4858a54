// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/congestion/congestion_result.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/studies/static_study/run_means.h"
#include "core/app/studies/static_study/worst_cables.h"
#include "core/base/make_column.h"
#include "io/result/result_writer.h"
#include "topology/load/cable_tiers.h"

namespace heddle {
namespace {

/// Cables with the hosts that share them.
constexpr std::size_t kMostWorstKept = 100;

std::vector<std::uint32_t> UpTo(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

Table RunsTable(const CongestionStudy& study) {
  using Run = const LoadFigures&;
  Table made{"congestion/runs", "One row a run, by number", {}};
  std::vector<std::int64_t> numbers(study.runs.size());
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  made.columns.push_back({"run", "1", "Number of the run", std::move(numbers)});
  const auto add = [&](auto type, const char* name, const char* description, auto get) {
    made.columns.push_back(MakeColumn<decltype(type)>(name, "1", description, study.runs, get));
  };
  add(std::int64_t{}, "messages", "Messages with a way", [](Run r) { return r.messages; });
  add(std::int64_t{}, "no_route", "Messages without a way", [](Run r) { return r.no_route; });
  add(std::int64_t{}, "loops", "Messages whose way is a loop", [](Run r) { return r.loops; });
  add(std::int64_t{}, "levels", "Levels with messages", [](Run r) { return r.levels; });
  add(double{}, "bandwidth", "Mean over messages of the share of its host's rate that each gets",
      [](Run r) { return r.mean_bandwidth(); });
  add(double{}, "sum_of_maxima", "Sum over levels of the largest weight",
      [](Run r) { return r.congestion; });
  add(double{}, "delay", "Latest end of a message, in transfers without congestion",
      [](Run r) { return r.delay; });
  return made;
}

Table WeightsTable(const LoadTotals& totals) {
  using Row = std::pair<double, std::uint64_t>;
  RecordTable<Row> table("congestion/weights", "Messages of all runs by weight, ascending",
                         {totals.weights.begin(), totals.weights.end()});
  table.Add<double>("weight", "1", "Largest load on the way, in shares of the host's own rate",
                    [](const Row& row) { return row.first; });
  table.Add<std::int64_t>("messages", "1", "Messages of this weight",
                          [](const Row& row) { return row.second; });
  return table.Take();
}

Table TiersTable(const std::vector<CableTier>& tiers) {
  using Row = const CableTier&;
  RecordTable<CableTier> table("congestion/tiers", "Cables by the layers that they join", tiers);
  table.Add<std::string>("tier", "1", "Layers, in the direction of the messages",
                         [](Row t) { return t.name; });
  table.Add<std::int64_t>("cables", "1", "Cables, each direction one",
                          [](Row t) { return t.cables; });
  table.Add<std::int64_t>("unused", "1", "Cables without a message in any run",
                          [](Row t) { return t.unused; });
  table.Add<std::int64_t>("messages", "1", "Messages of all cables and runs",
                          [](Row t) { return t.messages; });
  table.Add<std::int64_t>("peak_messages", "1", "Most messages at once on one cable",
                          [](Row t) { return t.peak; });
  return table.Take();
}

Table NodesTable(const StaticPaths& paths) {
  const std::vector<std::uint8_t> levels = paths.NodeLevels();
  std::vector<std::int64_t> host_of(paths.node_count(), -1);
  for (std::uint32_t host = 0; host < paths.host_count(); ++host)
    host_of[paths.NodeOfHost(host)] = host;
  RecordTable<std::uint32_t> table("congestion/nodes", "Nodes of the network, by number",
                                   UpTo(paths.node_count()));
  table.Add<std::uint32_t>("node", "1", "Number of the node", [](std::uint32_t n) { return n; });
  table.Add<std::string>("name", "1", "Its name", [&](std::uint32_t n) { return paths.Label(n); });
  table.Add<std::uint8_t>("level", "1", "0: host, 1: leaf and following; 255: NVSwitch",
                          [&](std::uint32_t n) { return levels[n]; });
  table.Add<std::int64_t>("host", "1", "Number of the host; -1: a switch",
                          [&](std::uint32_t n) { return host_of[n]; });
  return table.Take();
}

Table CablesTable(const StaticPaths& paths, const LoadTotals& totals,
                  const std::vector<CableTier>& tiers) {
  const std::vector<std::uint8_t> tier = TierOfCables(paths);
  using Cable = std::uint32_t;
  RecordTable<Cable> table("congestion/cables", "Cables of the network, each direction one",
                           UpTo(paths.cable_count()));
  table.Add<std::uint32_t>("cable", "1", "Number of the cable", [](Cable c) { return c; });
  table.Add<std::uint32_t>("from", "1", "Node that sends",
                           [&](Cable c) { return paths.EndsOf(c).from; });
  table.Add<std::uint32_t>("to", "1", "Node that receives",
                           [&](Cable c) { return paths.EndsOf(c).to; });
  table.Add<std::string>("tier", "1", "Layers that it joins",
                         [&](Cable c) { return tiers[tier[c]].name; });
  table.Add<std::int64_t>("rate_bps", "bit/s", "Rate; 0: unknown",
                          [&](Cable c) { return paths.RateOf(c); });
  table.Add<std::int64_t>("messages", "1", "Messages of all runs",
                          [&](Cable c) { return totals.cables[c]; });
  table.Add<std::int64_t>("peak_messages", "1", "Most messages at once",
                          [&](Cable c) { return totals.peaks[c].messages; });
  table.Add<std::int64_t>("peak_run", "1", "First run of the peak",
                          [&](Cable c) { return totals.peaks[c].run; });
  table.Add<std::int64_t>("peak_level", "1", "Level of the peak",
                          [&](Cable c) { return totals.peaks[c].level; });
  return table.Take();
}

Table SharersTable(const StaticPaths& paths, const std::vector<WorstCable>& worst) {
  struct Row {
    std::uint32_t rank, cable;
    HostPair hosts;
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < worst.size(); ++i) {
    for (const HostPair& hosts : worst[i].sharers)
      rows.push_back({static_cast<std::uint32_t>(i), worst[i].cable, hosts});
  }
  RecordTable<Row> table("congestion/sharers", "Messages that met at the peaks of the worst cables",
                         std::move(rows));
  table.Add<std::uint32_t>("rank", "1", "Place of the cable among the worst, from 0",
                           [](const Row& row) { return row.rank; });
  table.Add<std::uint32_t>("cable", "1", "Number of the cable",
                           [](const Row& row) { return row.cable; });
  table.Add<std::uint32_t>("source", "1", "Node of the host that sends",
                           [&](const Row& row) { return paths.NodeOfHost(row.hosts.source); });
  table.Add<std::uint32_t>("destination", "1", "Node of the host that receives",
                           [&](const Row& row) { return paths.NodeOfHost(row.hosts.destination); });
  return table.Take();
}

Table QueuePairTable(const QueuePairSplit& split) {
  std::vector<std::int64_t> runs(split.even.size());
  std::iota(runs.begin(), runs.end(), std::int64_t{0});
  Table table{"congestion/queue_pairs", "Messages of a run divided over queue pairs", {}};
  table.columns.push_back({"run", "1", "Number of the run", std::move(runs)});
  table.columns.push_back(
      {"even_parts", "1", "Share of the hosts' rate with equal parts on all paths", split.even});
  table.columns.push_back({"best_parts", "1",
                           "Share of the hosts' rate with the best parts on these paths",
                           split.best});
  return table;
}

std::vector<Attribute> Figures(const CongestionRequest& request, const CongestionStudy& study) {
  const RunMeans means = MeansOf(study);
  const auto integer = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {{"pattern", request.pattern.text},
          {"pattern_ranks", integer(request.pattern.ranks)},
          {"runs", integer(study.runs.size())},
          {"seed", integer(request.seed)},
          {"unit_links", integer(request.load.unit_links ? 1 : 0)},
          {"messages", integer(means.messages)},
          {"no_route", integer(means.no_route)},
          {"loops", integer(means.loops)},
          {"hops", integer(study.totals.hops)},
          {"bandwidth_mean", means.bandwidth.mean},
          {"bandwidth_error", means.bandwidth.error()},
          {"sum_of_maxima_mean", means.congestion.mean},
          {"delay_mean", means.delay.mean}};
}

}  // namespace

void WriteCongestionResult(const StaticPaths& paths, const CongestionRequest& request,
                           const CongestionStudy& study, const QueuePairSplit& split,
                           const CongestionSource& source) {
  ResultWriter writer(source.path, source.force, nullptr, ResultContent::kCongestion);
  writer.WriteAttributes({{"heddle_version", VersionText()}});
  writer.WriteAttributes(source.about);
  writer.WriteAttributes(Figures(request, study));
  const std::vector<CableTier> tiers = TiersOf(paths, study.totals);
  writer.Write(RunsTable(study));
  writer.Write(WeightsTable(study.totals));
  writer.Write(TiersTable(tiers));
  writer.Write(NodesTable(paths));
  writer.Write(CablesTable(paths, study.totals, tiers));
  writer.Write(SharersTable(paths, FindWorstCables(paths, request, study, kMostWorstKept)));
  if (split.queue_pairs > 0) {
    writer.WriteAttributes({{"queue_pairs", static_cast<std::int64_t>(split.queue_pairs)},
                            {"best_parts_tolerance", split.tolerance}});
    writer.Write(QueuePairTable(split));
  }
  writer.Close();
}

}  // namespace heddle
