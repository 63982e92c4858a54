// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analytical`: how long a training step takes by closed forms, without a simulated packet.
#include <algorithm>
#include <filesystem>

#include "core/app/analytical/simai_program.h"
#include "core/app/analytical/step_chart.h"
#include "core/app/analytical/step_study.h"
#include "core/app/analytical/step_text.h"
#include "core/app/arguments/output_conflicts.h"
#include "core/app/cli/commands.h"
#include "core/app/cli/output_text.h"
#include "core/app/cli/terminal.h"

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
  if (outputs.csv.empty()) return;
  std::error_code ignored;  // CheckOutputs says what is wrong
  std::filesystem::create_directory(kResults, ignored);
  std::vector<InputFile> inputs = {{"-w", given.workload}};
  if (!given.bandwidths.empty()) inputs.push_back({"--bus-bandwidth", given.bandwidths});
  CheckOutputs({{"-r", outputs.csv}, {"-v", outputs.chart}}, inputs, given.force);
}

void Execute(const StepArguments& given) {
  const StepStudy study = StudyStep(given);
  const Outputs outputs = OutputsOf(given);
  Prepare(given, outputs);
  for (const std::string& warning : study.warnings) PrintWarning(warning);
  const std::string name = given.result.substr(given.result.find_last_of('/') + 1);
  if (!outputs.csv.empty()) WriteText(outputs.csv, StepCsv(name, study));
  if (!outputs.chart.empty())
    WriteText(outputs.chart, StepChart(name, SumsOf(study.step), given.language));
  PrintText(StepText(study));
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
  CheckArguments(given);
  Execute(given);
  return 0;
}

}  // namespace heddle
