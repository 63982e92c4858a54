// SPDX-License-Identifier: GPL-2.0-only
/// `heddle plan search`: which division of a training step over a fabric's GPUs is fastest.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <variant>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/launch/plan/plan_text.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "core/options/nearest_name.h"
#include "io/input/text_file.h"
#include "io/plan/plan_file.h"
#include "io/result/result_reader.h"

namespace heddle {
namespace {

/// On a terminal, says how far the search is.
void SayProgress(std::size_t number, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0 || number % 10 != 0) return;
  std::fprintf(stderr, "\rplan %zu of %zu ", number, all);
  if (number + 10 >= all) std::fprintf(stderr, "\r\033[K");
}

/// Flags of heddle run beside the files: the search's settings.
std::vector<std::string> FlagsOf(const PlanSearchArguments& given) {
  std::vector<std::string> words;
  for (const std::string& setting : given.settings) words.insert(words.end(), {"--set", setting});
  if (!given.like.empty()) words.insert(words.end(), {"--like", given.like});
  return words;
}

SweepRun RunOf(const PlanSearchArguments& given, const PricedPlan& plan) {
  const std::string path = PlanPathOf(given, plan);
  SweepRun run;
  run.name = std::filesystem::path(path).filename().string();
  run.result = path + ".h5";
  run.words = {"-n", given.fabric, "-w",      path + ".toml", "--backend", given.check,
               "-o", run.result,   "--quiet", "--restart",    "auto"};
  const std::vector<std::string> flags = FlagsOf(given);
  run.words.insert(run.words.end(), flags.begin(), flags.end());
  if (given.force) run.words.emplace_back("--force");
  return run;
}

/// Whether the file is there with this text.
bool HasText(const std::string& path, const std::string& text) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ReadTextFile(path) == text;
}

/// Writes the plans that are not there already. Throws as CheckOutputs.
void WritePlans(const PlanSearchArguments& given, const PricedPlans& priced, std::size_t count) {
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<OutputFile> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string path = PlanPathOf(given, priced.plans[i]) + ".toml";
    const std::string text = PlanText(priced.plans[i].found.request, "found by heddle plan search");
    if (HasText(path, text)) continue;
    texts.emplace_back(path, text);
    outputs.push_back({"-o", path});
  }
  CheckOutputs(outputs, {{"-n", given.fabric}, {"-w", given.plan}}, given.force);
  for (const auto& [path, text] : texts) WriteText(path, text);
}

Time SimulatedTime(const std::string& path) {
  for (const Attribute& attribute : ResultReader(path).ReadAttributes("/")) {
    if (attribute.name != "simulated_ps") continue;
    if (const auto* time = std::get_if<std::int64_t>(&attribute.value)) return Time{*time};
  }
  throw UserError(Printable(path) + ": no simulated time. Expected: a complete result");
}

/// Writes the first plans, and runs them if a backend is to check them. Returns an exit code.
int RunBest(const PlanSearchArguments& given, PricedPlans* priced) {
  const std::size_t count = std::min<std::size_t>(given.top, priced->plans.size());
  std::error_code error;
  std::filesystem::create_directories(given.folder, error);
  if (error) throw FileError(Printable(given.folder) + ": cannot be made: " + error.message());
  WritePlans(given, *priced, count);
  LaunchPlan launch;
  launch.json = given.json;
  launch.faster = "--check none, a smaller --top, fewer layers (--plan scale=true --plan layers=N)";
  for (std::size_t i = 0; i < count; ++i) launch.runs.push_back(RunOf(given, priced->plans[i]));
  if (given.check == "none") return 0;
  const int code = LaunchLocal(launch);
  if (code != 0) return code;
  for (std::size_t i = 0; i < count; ++i)
    priced->plans[i].checked = SimulatedTime(launch.runs[i].result);
  std::stable_sort(priced->plans.begin(),
                   priced->plans.begin() + static_cast<std::ptrdiff_t>(count),
                   [](const PricedPlan& a, const PricedPlan& b) { return a.checked < b.checked; });
  return 0;
}

int Search(const std::vector<std::string>& arguments) {
  PlanSearchArguments given;
  if (!ParsePlanSearch(arguments, &given)) return 0;
  const PlanRequest request = CommonRequest(&given);
  PricedPlans priced = PricePlans(given, request, &SayProgress);
  for (const std::string& note : priced.notes)
    std::fprintf(stderr, "heddle: note: %s\n", PrintableLines(note).c_str());
  const int code = RunBest(given, &priced);
  if (code != 0) return code;
  if (given.json) {
    PrintJson(PlanSearchDocument(priced, given.top, given));
    return 0;
  }
  PrintText(PlanSearchText(priced, given.top, given));
  const PricedPlan& best = priced.plans[0];
  const std::string path = PlanPathOf(given, best) + ".toml";
  std::string flags;
  for (const std::string& word : FlagsOf(given)) flags += " " + word;
  PrintText("best       " + path + "\nnext       heddle run -n " + given.fabric + " -w " + path +
            flags + " -o best.h5\n");
  return 0;
}

}  // namespace

int PlanCommand(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    PrintText(
        "Usage: heddle plan search [OPTIONS]   (heddle plan search --help)\n\nExamples:\n"
        "  heddle plan search -n fabric.txt --model llama3-70b --global-batch 1024\n");
    return arguments.empty() ? 2 : 0;
  }
  if (arguments[0] != "search")
    throw UsageError("heddle plan: unknown word '" + Printable(arguments[0]) + "'" +
                     NearestIs(arguments[0], {"search"}) + ". Expected: search");
  return Search({arguments.begin() + 1, arguments.end()});
}

}  // namespace heddle
