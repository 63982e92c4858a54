// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/traces/chakra_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "collectives/chakra/chakra_of_job.h"
#include "core/app/arguments/input_files.h"
#include "core/app/arguments/output_conflicts.h"
#include "core/app/arguments/run_arguments.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/parse_arguments.h"
#include "core/app/cli/terminal.h"
#include "core/app/setup/job_setup.h"
#include "io/chakra/chakra_writer.h"

namespace heddle {

bool AsksForChakra(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "--chakra" || word.rfind("--chakra=", 0) == 0;
  });
}

int ExportChakra(const std::vector<std::string>& arguments) {
  RunArguments run;
  std::string prefix;
  CLI::App app("Write a workload as an execution trace of Chakra.", "export");
  app.add_option("WORKLOAD", run.workload, "training workload (SimAI's text format)")
      ->required()
      ->type_name("FILE");
  app.add_option("--chakra", prefix, "files PREFIX.RANK.et, and PREFIX.groups.json")
      ->required()
      ->type_name("PREFIX");
  app.add_option("-n,--topology", run.topology, "fabric: its GPUs are the ranks")
      ->required()
      ->type_name("FILE");
  app.add_option("--passes", run.passes, "iterations")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  app.add_flag("--force", run.force, "replace existing files");
  app.footer(Examples({"heddle export step.txt --chakra traces/step -n fabric.txt"}));
  if (!ParseArguments(&app, arguments)) return 0;
  const Graph graph = ReadTopology(run.topology);
  std::vector<std::string> warnings;
  const std::vector<Job> jobs = LoadJobs(run, graph, CollectiveOptions(), &warnings);
  const ChakraTrace trace = ChakraOfJob(jobs[0]);
  std::vector<OutputFile> outputs;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    outputs.push_back({"--chakra", fmt::format("{}.{}.et", prefix, rank)});
  const std::string groups = ChakraGroupsText(trace);
  const std::string groups_file = prefix + ".groups.json";
  if (!groups.empty()) outputs.push_back({"--chakra", groups_file});
  CheckOutputs(outputs, {{"WORKLOAD", run.workload}, {"-n", run.topology}}, run.force);
  for (const std::string& warning : warnings) PrintWarning(warning);
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank)
    WriteText(outputs[rank].path, ChakraBytes(trace, rank));
  if (!groups.empty()) WriteText(groups_file, groups);
  return 0;
}

}  // namespace heddle
