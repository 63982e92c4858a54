// SPDX-License-Identifier: GPL-2.0-only
// heddle against ASTRA-sim 2's analytical backends: files are read as they are, messages do not
// meet (congestion unaware) or do (aware). A line for each fabric and collective is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/options/options.h"
#include "io/astra/astra_network.h"
#include "io/astra/astra_system.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

/// A row of analytical.csv.
struct AnalyticalRun {
  std::string backend, topology, npus, bandwidth, latency, algorithm, collective;
  std::int64_t bytes = 0, splits = 1, active_chunks = 1;
  std::string optimization;
  std::int64_t finish_ns = 0;
};

std::vector<AnalyticalRun> ReadRuns() {
  std::ifstream file(std::string(HEDDLE_TEST_DATA) + "/astra/analytical.csv");
  std::vector<AnalyticalRun> runs;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    AnalyticalRun run;
    words >> run.backend >> run.topology >> run.npus >> run.bandwidth >> run.latency >>
        run.algorithm >> run.collective >> run.bytes >> run.splits >> run.active_chunks >>
        run.optimization >> run.finish_ns;
    runs.push_back(run);
  }
  return runs;
}

/// "a_b" as a list: [ a, b ], with quotes for JSON.
std::string ListOf(const std::string& names, const char* quote) {
  std::string list;
  std::istringstream words(names);
  for (std::string word; std::getline(words, word, '_');)
    list += (list.empty() ? "[ " : ", ") + std::string(quote) + word + quote;
  return list + " ]";
}

std::string NetworkOf(const AnalyticalRun& run) {
  return fmt::format("topology: {}\nnpus_count: {}\nbandwidth: {}  # GB/s\nlatency: {}  # ns\n",
                     ListOf(run.topology, ""), ListOf(run.npus, ""), ListOf(run.bandwidth, ""),
                     ListOf(run.latency, ""));
}

/// As the runs' system files: 1,600 GB/s of memory, 10 ns of endpoint delay; all-to-alls are direct
/// where other collectives halve and double.
std::string SystemOf(const AnalyticalRun& run) {
  const std::string names = ListOf(run.algorithm, "\"");
  std::string exchanges = names;
  const std::string halving = "halvingDoubling";
  for (std::size_t at; (at = exchanges.find(halving)) != std::string::npos;)
    exchanges.replace(at, halving.size(), "direct");
  return fmt::format(
      "{{\n  \"scheduling-policy\": \"LIFO\",\n  \"endpoint-delay\": 10,\n"
      "  \"active-chunks-per-dimension\": {},\n  \"preferred-dataset-splits\": {},\n"
      "  \"all-reduce-implementation\": {},\n  \"all-gather-implementation\": {},\n"
      "  \"reduce-scatter-implementation\": {},\n  \"all-to-all-implementation\": {},\n"
      "  \"collective-optimization\": \"{}\",\n  \"local-mem-bw\": 1600,\n  \"boost-mode\": "
      "0\n}}\n",
      run.active_chunks, run.splits, names, names, names, exchanges, run.optimization);
}

std::string WorkloadOf(const AnalyticalRun& run, std::uint32_t npus) {
  std::string operation;
  for (const char c : run.collective) {
    if (c != '_') operation += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  // The file's all-gather names the shard.
  const std::int64_t bytes = run.bytes * (operation == "ALLGATHER" ? npus : 1);
  return fmt::format("MICRO\n1\nlayer -1 0 NONE 0 0 NONE 0 0 {} {} 0\n", operation, bytes);
}

std::int64_t FinishOf(const AnalyticalRun& run) {
  const Graph graph = MakeScaleUpGraph(ParseAstraNetwork(NetworkOf(run), "network.yml"));
  Scenario scenario;
  OptionSet options;
  scenario.options.Declare(&options);
  scenario.collectives.Declare(&options);
  ParseAstraSystem(SystemOf(run), "system.json", &options);
  options.Set("scale_up.congestion", run.backend == "Aware" ? "true" : "false");
  const Observed o =
      SimulateJobs(graph, {MakeJob(graph, WorkloadOf(run, graph.gpu_count()))}, scenario);
  EXPECT_EQ(o.waiting, std::vector<std::string>{});
  for (const Table& table : o.jobs) {
    if (table.name == "collectives") return GetColumn<std::int64_t>(table, "end_ps").at(0) / 1000;
  }
  return -1;
}

/// Rows of one fabric and collective, and how far they are from ASTRA-sim's.
struct Compared {
  int rows = 0;
  std::int64_t most = 0;  ///< [ns]
};

/// ASTRA-sim's runs from `first` on, each `step`-th of them.
void CompareRuns(std::size_t first, std::size_t step, int expected) {
  const char* only = std::getenv("ASTRA2_ONLY");
  std::map<std::tuple<std::string, std::string, std::string>, Compared> table;
  const std::vector<AnalyticalRun> runs = ReadRuns();
  for (std::size_t i = first; i < runs.size(); i += step) {
    const AnalyticalRun& run = runs[i];
    if (only != nullptr && run.topology != only) continue;
    const std::int64_t difference = FinishOf(run) - run.finish_ns;
    EXPECT_LE(std::abs(difference), 2)
        << run.backend << ' ' << run.topology << ' ' << run.npus << ' ' << run.algorithm << ' '
        << run.collective << ' ' << run.bytes << " bytes, " << run.splits << " splits, "
        << run.optimization << ": " << run.finish_ns + difference << " ns, ASTRA-sim "
        << run.finish_ns;
    Compared& row = table[{run.backend, run.topology, run.collective}];
    ++row.rows;
    row.most = std::max(row.most, std::abs(difference));
  }
  int rows = 0;
  for (const auto& [key, compared] : table) {
    std::printf("%-8s %-28s %-15s %3d rows, at most %lld ns from ASTRA-sim\n",
                std::get<0>(key).c_str(), std::get<1>(key).c_str(), std::get<2>(key).c_str(),
                compared.rows, static_cast<long long>(compared.most));
    rows += compared.rows;
  }
  std::printf("%d rows\n", rows);
  EXPECT_EQ(rows, only != nullptr ? rows : expected);
}

TEST(Astra2Reference, EndsWhenAstraSimDoes) { CompareRuns(0, 5, 98); }

TEST(Astra2ReferenceSlow, EndsWhenAstraSimDoes) { CompareRuns(0, 1, 487); }

}  // namespace
}  // namespace heddle::testing
