// SPDX-License-Identifier: GPL-2.0-only
// heddle's runs of Chakra's traces against ASTRA-sim 2's, rank by rank: its networks, systems and
// slots. A line for each workload is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/chakra/chakra_program.h"
#include "core/options/options.h"
#include "io/astra/astra_network.h"
#include "io/astra/astra_system.h"
#include "io/chakra/chakra_reader.h"
#include "tests/support/chakra/chakra_text.h"
#include "tests/support/results.h"
#include "tests/support/simulate_jobs.h"

namespace heddle::testing {
namespace {

/// A row of chakra_runs.csv. Where all ranks end at one time, there is one.
struct ChakraRun {
  std::string backend, workload, network, system, memory;
  std::vector<std::int64_t> finish_ns;
};

std::string DataOf(const std::string& name) {
  return std::string(HEDDLE_TEST_DATA) + "/astra/" + name;
}

std::vector<ChakraRun> ReadChakraRuns() {
  std::ifstream file(DataOf("chakra_runs.csv"));
  std::vector<ChakraRun> runs;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    ChakraRun run;
    words >> run.backend >> run.workload >> run.network >> run.system >> run.memory;
    for (std::int64_t end = 0; words >> end;) run.finish_ns.push_back(end);
    runs.push_back(run);
  }
  return runs;
}

/// The sections of chakra_inputs.txt, "workload serial" and so on.
std::map<std::string, std::string> ReadInputs() {
  std::ifstream file(DataOf("chakra_inputs.txt"));
  std::map<std::string, std::string> inputs;
  std::string line, section;
  while (std::getline(file, line)) {
    if (line.rfind("== ", 0) == 0) {
      section = line.substr(3);
    } else {
      inputs[section] += line + "\n";
    }
  }
  return inputs;
}

/// A trace of files NAME.RANK.et; its groups are a line of the text.
ChakraTrace TraceOf(const std::string& name, const std::string& text) {
  const std::size_t groups = text.find("groups {");
  const std::vector<std::string> files = ChakraFilesOf(text.substr(0, groups));
  ChakraTrace trace;
  trace.name = name;
  ChakraReader reader(&trace, static_cast<std::uint32_t>(files.size()), true);
  if (groups != std::string::npos) reader.ReadGroups(text.substr(groups + 7), name);
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const std::string file = fmt::format("{}.{}.et", name, rank);
    reader.ReadRank(OpenBytes(files[rank], file), file);
  }
  return trace;
}

/// Remote memory of each NPU.
void SetMemory(const std::string& memory, OptionSet* options) {
  if (memory == "none") return;
  EXPECT_EQ(memory, "per_npu");
  options->Set("chakra.remote_bandwidth", "50");
  options->Set("chakra.remote_latency", "100ns");
}

/// When each rank ended [ns].
std::vector<std::int64_t> EndsOf(const ChakraRun& run,
                                 const std::map<std::string, std::string>& inputs) {
  const Graph graph =
      MakeScaleUpGraph(ParseAstraNetwork(inputs.at("network " + run.network), "network.yml"));
  Scenario scenario;
  OptionSet options;
  scenario.options.Declare(&options);
  scenario.collectives.Declare(&options);
  ChakraAlgorithmOptions files;
  files.Declare(&options);
  ParseAstraSystem(inputs.at("system " + run.system), "system.json", &options);
  options.Set("scale_up.congestion", run.backend == "aware" ? "true" : "false");
  options.Set("chakra.slots", "astra-sim");
  SetMemory(run.memory, &options);
  const ChakraTrace trace = TraceOf(run.workload, inputs.at("workload " + run.workload));
  ChakraFabric fabric;
  for (const Dimension& dimension : graph.scale_up()->dimensions)
    fabric.dimensions.push_back(dimension.size);
  fabric.splits = scenario.collectives.phased.splits;
  const auto ranks = static_cast<std::uint32_t>(trace.ranks.size());
  Job job{
      run.workload, MakeChakraWorkload(trace), ParallelGroups({}, ranks, run.workload), {}, {}, {}};
  std::vector<std::string> warnings;
  ChakraAlgorithms algorithms;
  if (!files.all_reduce.empty()) {
    auto algorithm = std::make_shared<ChakraTrace>(
        TraceOf(files.all_reduce, inputs.at("algorithm " + files.all_reduce)));
    CheckChakraAlgorithm(*algorithm);
    algorithms[ChakraCollective::kAllReduce] = std::move(algorithm);
  }
  job.program =
      MakeChakraProgram(trace, scenario.collectives.chakra, fabric, &warnings, algorithms);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) job.gpus.emplace_back(rank);
  if (job.program.graph->sends_until_arrival) scenario.plan.grain = 0;
  const Observed o = SimulateJobs(graph, {job}, scenario);
  EXPECT_EQ(o.waiting, std::vector<std::string>{});
  std::vector<std::int64_t> ends;
  for (const Table& table : o.jobs) {
    if (table.name != "ranks") continue;
    for (const std::int64_t end : GetColumn<std::int64_t>(table, "end_ps"))
      ends.push_back(end / 1000);
  }
  return ends;
}

/// Rows of a workload, and how far they are from ASTRA-sim's.
struct ComparedEnds {
  int rows = 0;
  std::int64_t most = 0;  ///< of any rank [ns]
};

TEST(ChakraReference, RanksEndWhenAstraSimsDo) {
  const char* only = std::getenv("CHAKRA_ONLY");
  const std::map<std::string, std::string> inputs = ReadInputs();
  std::map<std::string, ComparedEnds> table;
  for (const ChakraRun& run : ReadChakraRuns()) {
    if (only != nullptr && run.workload != only) continue;
    const std::vector<std::int64_t> ends = EndsOf(run, inputs);
    const bool alike = run.finish_ns.size() == 1;
    ASSERT_TRUE(alike || run.finish_ns.size() == ends.size()) << run.workload;
    ComparedEnds& row = table[run.workload];
    ++row.rows;
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      const std::int64_t theirs = run.finish_ns[alike ? 0 : rank];
      row.most = std::max(row.most, std::abs(ends[rank] - theirs));
      EXPECT_LE(std::abs(ends[rank] - theirs), 2)
          << run.backend << ' ' << run.workload << ' ' << run.network << ' ' << run.system << ' '
          << run.memory << ", rank " << rank << ": " << ends[rank] << " ns, ASTRA-sim " << theirs;
    }
  }
  int rows = 0;
  for (const auto& [workload, compared] : table) {
    std::printf("%-30s %3d rows, no rank is more than %lld ns from ASTRA-sim\n", workload.c_str(),
                compared.rows, static_cast<long long>(compared.most));
    rows += compared.rows;
  }
  std::printf("%d rows\n", rows);
  constexpr int kRows = 937;
  EXPECT_EQ(rows, only != nullptr ? rows : kRows);
}

}  // namespace
}  // namespace heddle::testing
