// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analytical`: how long a training step takes by closed forms, without a simulated packet.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/run/step_result/step_result.h"
#include "core/app/studies/analytical/simai_program.h"
#include "core/app/studies/analytical/step_chart.h"
#include "core/app/studies/analytical/step_study.h"
#include "core/app/studies/analytical/step_text.h"
#include "core/base/printable.h"

namespace heddle {
namespace {

constexpr const char* kResults = "./results";

/// Where the outputs go: SimAI's folder, and the beginning of their names.
struct Outputs {
  std::string csv, chart;
};

Outputs OutputsOf(const StepArguments& given) {
  if (given.result.empty()) return {};
  std::string folder = std::string(kResults) + "/" + given.folder;
  if (folder.back() != '/') folder += '/';
  const std::string prefix = folder + given.result;
  return {prefix + "EndToEnd.csv", given.chart ? prefix + "chart.html" : ""};
}

/// Makes ./results, as SimAI's build does, and checks that the outputs can be made.
void Prepare(const StepArguments& given, const Outputs& outputs) {
  std::error_code ignored;  // CheckOutputs says what is wrong
  if (!outputs.csv.empty()) std::filesystem::create_directory(kResults, ignored);
  std::vector<InputFile> inputs = {{"-w", given.workload}};
  if (given.calibration_file()) inputs.push_back({"--calibration", given.calibration});
  if (!given.bandwidths.empty()) inputs.push_back({"--bus-bandwidth", given.bandwidths});
  if (!given.topology.empty()) inputs.push_back({"-n", given.topology});
  CheckOutputs({{"-r", outputs.csv}, {"-v", outputs.chart}, {"-o", given.output}}, inputs,
               given.force);
}

/// The words of the command, but for names of outputs.
std::string CommandLineOf(const StepArguments& given) {
  std::string text = "heddle analytical -w " + given.workload;
  if (!given.topology.empty()) text += " -n " + given.topology + " --placement " + given.placement;
  for (const std::string& setting : given.settings) text += " --set " + setting;
  if (given.calibration != "none") text += " --calibration " + given.calibration;
  return text;
}

/// Digests of the inputs, and the options in force.
std::vector<Attribute> InputsOf(const StepArguments& given, const Graph& graph,
                                const AllOptions& options) {
  const std::string of_flags =
      fmt::format("{} {} {}", graph.gpu_count(), graph.link(LinkId(0)).rate.bps,
                  graph.link(LinkId(1)).rate.bps);
  std::vector<Attribute> inputs = {
      {"topology_digest", given.topology.empty() ? BytesDigest(of_flags.data(), of_flags.size())
                                                 : InputDigest(given.topology)},
      {"workload_digest", InputDigest(given.workload)}};
  if (given.calibration_file())
    inputs.push_back({"calibration_digest", InputDigest(given.calibration)});
  for (const Option& option : options.options.options())
    inputs.push_back({"option " + option.key, option.get()});
  return inputs;
}

/// Without a fabric the result has one of the bandwidths of the flags, and packed ranks.
void WriteResult(const StepArguments& given, const StepStudy& study, double seconds) {
  const AllOptions defaults;
  std::unique_ptr<Graph> made;
  std::vector<NodeId> gpus;
  if (study.fabric == nullptr) {
    const std::uint32_t ranks = study.groups.ranks();
    made = std::make_unique<Graph>(
        FabricOfRates(study.rates, ranks, std::min(given.gpus_per_server, ranks), given.gpu_type));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) gpus.emplace_back(rank);
  }
  const Graph& graph = made ? *made : study.fabric->graph();
  const AllOptions& options = made ? defaults : study.fabric->options();
  WriteStepResult(given.output, given.force,
                  {study.workload, study.groups, study.step, graph,
                   made ? gpus : study.fabric->gpus(), PlacementOf(given.placement),
                   CommandLineOf(given), InputsOf(given, graph, options), seconds});
}

void Execute(const StepArguments& given) {
  const auto begin = std::chrono::steady_clock::now();
  const StepStudy study = StudyStep(given);
  const Outputs outputs = OutputsOf(given);
  Prepare(given, outputs);
  for (const std::string& warning : study.warnings) PrintWarning(warning);
  const std::string name = given.result.substr(given.result.find_last_of('/') + 1);
  if (!outputs.csv.empty()) WriteText(outputs.csv, StepCsv(name, study));
  if (!outputs.chart.empty())
    WriteText(outputs.chart, StepChart(name, SumsOf(study.step), given.language));
  if (!given.output.empty())
    WriteResult(given, study,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (given.json) return PrintJson(StepJson(study, given.output));
  PrintText(StepText(study));
  if (!given.output.empty()) PrintText("result            " + Printable(given.output) + "\n");
}

}  // namespace

int AnalyticalCommand(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--compat") {
    if (arguments.size() < 2)
      throw UsageError(
          "--compat has no value. Expected: simai-analytical-1.6 or simai-analytical-1.0");
    return RunSimaiAnalytical(ParseSimaiProgram(arguments[1]),
                              {arguments.begin() + 2, arguments.end()});
  }
  if (std::find(arguments.begin(), arguments.end(), "--compat") != arguments.end())
    throw UsageError("--compat must be the first word");
  StepArguments given;
  std::string program;
  CLI::App app(
      "How long a training step takes by closed forms, without a simulated packet. SimAI's command "
      "lines are taken as they are.",
      "analytical");
  app.add_option("--compat", program,
                 "the first word: what that program of SimAI's prints, with its flags behind it")
      ->type_name("simai-analytical-1.6|simai-analytical-1.0");
  AddArguments(&app, &given);
  if (!ParseArguments(&app, WithLongNames(arguments))) return 0;
  CheckArguments(app, given);
  Execute(given);
  return 0;
}

}  // namespace heddle
