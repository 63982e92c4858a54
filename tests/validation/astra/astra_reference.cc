// SPDX-License-Identifier: GPL-2.0-only
#include "tests/validation/astra/astra_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>

#include "tests/support/simulate_jobs.h"
#include "topology/scale_up/scale_up_network.h"

namespace heddle::testing {
namespace {

std::vector<std::vector<std::string>> ReadRows(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_TEST_DATA) + "/astra/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> row;
    std::stringstream words(line + ",");
    for (std::string word; std::getline(words, word, ',');) row.push_back(word);
    rows.push_back(row);
  }
  return rows;
}

/// Table IV of the paper, with rings or switches as the run's tag has them.
NetworkDimension LineOf(const AstraRun& run, bool local, std::uint32_t size) {
  const bool symmetric = run.Has("f9_") || run.Has("f10_") || run.Has("_sym_");
  const bool narrow = local && !symmetric;
  NetworkDimension line;
  line.size = size;
  line.rate = BitRate{narrow ? 1'600'000'000'000 : 200'000'000'000};
  line.latency = NanoSeconds(narrow ? 90 : 200);
  line.router_latency = NanoSeconds(1);
  line.level.name = local ? "local" : "package";
  line.level.packet_bytes = narrow ? 512 : 256;
  line.level.efficiency = 0.94;
  const std::uint32_t rings = run.Has("f9_") ? 4 : run.Has("1bidir") ? 1 : 2;
  line.clockwise = local ? 2 : rings;
  line.anticlockwise = local ? 0 : rings;
  return line;
}

Graph FabricOf(const AstraRun& run) {
  ScaleUpNetwork network;
  network.dimensions = {LineOf(run, true, run.local), LineOf(run, false, run.horizontal),
                        LineOf(run, false, run.vertical)};
  if (run.Has("a2a")) {
    network.dimensions[1].kind = Dimension::Kind::kSwitch;
    network.dimensions[1].clockwise = 7;
    network.dimensions[1].anticlockwise = 0;
  }
  return MakeScaleUpGraph(network);
}

std::string WorkloadOf(const AstraRun& run) {
  if (run.operation != "RESNET50")
    return fmt::format("MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 {} {} 0\n", run.operation,
                       run.bytes);
  std::string layers;
  const auto rows = ReadRows("resnet50.csv");
  for (const auto& row : rows) {
    const auto time = [&](int column) { return std::stoll(row[column]) * run.compute_scale; };
    layers += fmt::format("layer -1 {} NONE 0 {} NONE 0 {} ALLREDUCE {} {}\n", time(0), time(1),
                          time(2), row[3], row[4]);
  }
  return fmt::format("DATA\n{}\n{}", rows.size(), layers);
}

CollectiveOptions OptionsOf(const AstraRun& run) {
  CollectiveOptions options;
  options.phased.collectives =
      run.Has("localBWAware") ? PhasedOptions::Form::kEnhanced : PhasedOptions::Form::kBaseline;
  options.phased.order =
      run.Has("FIFO") ? PhasedOptions::Order::kFifo : PhasedOptions::Order::kLifo;
  return options;
}

}  // namespace

std::vector<AstraRun> ReadAstraRuns() {
  std::vector<AstraRun> runs;
  for (const auto& row : ReadRows("reference.csv")) {
    AstraRun run;
    run.tag = row[0];
    run.local = static_cast<std::uint32_t>(std::stoul(row[1]));
    run.vertical = static_cast<std::uint32_t>(std::stoul(row[2]));
    run.horizontal = static_cast<std::uint32_t>(std::stoul(row[3]));
    run.system = row[4];
    run.operation = row[5];
    run.bytes = std::stoll(row[6]);
    run.passes = static_cast<std::uint32_t>(std::stoul(row[7]));
    run.end_ns = std::stod(row[8]);
    run.messages = std::stoll(row[9]);
    if (!row[10].empty()) run.exposed_us = std::stod(row[10]);
    run.compute_scale = std::stoi(row[11]);
    runs.push_back(run);
  }
  return runs;
}

AstraAnswer Answer(const AstraRun& run) {
  const Graph graph = FabricOf(run);
  Scenario scenario;
  scenario.collectives = OptionsOf(run);
  const Observed o =
      SimulateJobs(graph, {MakeJob(graph, WorkloadOf(run), {}, Time{0}, run.passes)}, scenario);
  AstraAnswer answer;
  answer.end_ns = static_cast<double>(o.end.ps) / 1000;
  answer.messages = static_cast<std::int64_t>(GetColumn<std::int64_t>(o.flows, "fct_ps").size());
  for (const Table& table : o.jobs) {
    if (table.name != "layers") continue;
    const auto& rank = GetColumn<std::uint32_t>(table, "rank");
    const auto& exposed = GetColumn<std::int64_t>(table, "wg_exposed_ps");
    const auto& tail = GetColumn<std::int64_t>(table, "wg_tail_ps");
    for (std::size_t row = 0; row < rank.size(); ++row) {
      if (rank[row] == 0) answer.exposed_us += static_cast<double>(exposed[row] - tail[row]) / 1e6;
    }
  }
  return answer;
}

}  // namespace heddle::testing
