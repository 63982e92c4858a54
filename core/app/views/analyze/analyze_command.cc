// SPDX-License-Identifier: GPL-2.0-only
/// `heddle analyze`: explains results. `collisions`: which flows shared which link at which time.
/// `paths`: how queue pairs shared the bytes of their connections. `step`: the critical path of a
/// job, piece by piece with its causes.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/views/analyze/analyze_subjects.h"
#include "core/app/views/analyze/cause_text.h"
#include "core/app/views/analyze/collision_figures.h"
#include "core/app/views/analyze/collision_text.h"
#include "core/app/views/analyze/link_text.h"
#include "core/app/views/analyze/path_text.h"
#include "core/base/check.h"
#include "core/base/printable.h"
#include "io/collisions/collision_study.h"
#include "io/collisions/path_shares.h"
#include "io/export/export_collisions.h"
#include "io/step/step_explanation.h"

namespace heddle {
namespace {

struct CollisionArguments {
  std::vector<std::string> results;
  std::string against, periods, pairs;
  std::size_t worst = 5;
  std::size_t most_pairs = 1'000'000;
  bool force = false, json = false;
};

void WriteCollisionFiles(const CollisionArguments& arguments, const CollisionStudy& study) {
  const HopNumbers numbers(study.graph);
  if (!arguments.periods.empty()) {
    std::ostringstream text;
    ExportSharedPeriods(study.over_time, study.graph, numbers, text);
    WriteText(arguments.periods, text.str());
  }
  if (!arguments.pairs.empty()) {
    std::ostringstream text;
    const std::uint64_t all =
        ExportCollidingPairs(study.over_time, study.graph, numbers, arguments.most_pairs, text);
    WriteText(arguments.pairs, text.str());
    if (all > arguments.most_pairs) {
      std::fprintf(stderr, "heddle: note: %s has %zu of %llu pairs; --most-pairs sets the limit\n",
                   PrintableLines(arguments.pairs).c_str(), arguments.most_pairs,
                   static_cast<unsigned long long>(all));
    }
  }
}

void CheckSameTraffic(const CollisionStudy& study, const CollisionStudy& other) {
  if (SameTraffic(study.flows, other.flows)) return;
  FailInput({other.file, 0},
            fmt::format("other traffic than {} ({} and {} flows)", study.file,
                        other.completion.flows, study.completion.flows),
            "a result with the same sources, destinations and sizes of flows");
}

int Collisions(const std::vector<std::string>& arguments) {
  CollisionArguments chosen;
  CLI::App app("Which flows between servers shared which link of a switch, and when.",
               "analyze collisions");
  app.add_option("RESULT", chosen.results, "result files (HDF5)")->required()->type_name("FILE");
  app.add_option(
         "--against", chosen.against,
         "compare with this result of the same traffic, such as one without the central controller")
      ->type_name("FILE");
  app.add_option("--csv", chosen.periods,
                 "write all times in which links were shared to this file (\"-\": standard output, "
                 "instead of the text)")
      ->type_name("FILE");
  app.add_option("--pairs", chosen.pairs,
                 "write all pairs of flows that shared a link at the same time to this file")
      ->type_name("FILE");
  app.add_option("--most-pairs", chosen.most_pairs, "--pairs: so many lines at most")
      ->check(WholeNumber(0, 1'000'000'000'000))
      ->capture_default_str();
  app.add_flag("--force", chosen.force, "replace existing files");
  app.add_option("--worst", chosen.worst, "describe so many of the most shared links")
      ->check(WholeNumber(0, 1'000'000))
      ->capture_default_str();
  AddJsonFlag(&app, &chosen.json);
  app.footer(Examples({"heddle analyze collisions result.h5",
                       "heddle analyze collisions controller.h5 --against hashed.h5",
                       "heddle analyze collisions result.h5 --csv shared.csv --pairs pairs.csv"}));
  if (!ParseArguments(&app, arguments)) return 0;
  if (chosen.results.size() > 1 && !(chosen.periods.empty() && chosen.pairs.empty())) {
    throw UsageError("--csv and --pairs are of one result. Expected: one RESULT");
  }
  CheckJsonAlone(chosen.json, "--csv", chosen.periods);
  CheckJsonAlone(chosen.json, "--pairs", chosen.pairs);
  std::vector<InputFile> inputs = {{"--against", chosen.against}};
  for (const std::string& input : chosen.results) inputs.push_back({"RESULT", input});
  CheckOutputs({{"--csv", chosen.periods}, {"--pairs", chosen.pairs}}, inputs, chosen.force);
  std::optional<CollisionStudy> other;
  if (!chosen.against.empty()) other = StudyCollisions(chosen.against);
  std::vector<OrderedJson> objects;
  std::string text;
  for (const std::string& file : chosen.results) {
    const CollisionStudy study = StudyCollisions(file);
    if (other) CheckSameTraffic(study, *other);
    if (chosen.json) {
      objects.push_back(CollisionJson(study, chosen.worst));
    } else {
      text += (text.empty() ? "" : "\n") + DescribeCollisions(study, chosen.worst);
      if (other) text += CompareCollisions(study, *other);
    }
    WriteCollisionFiles(chosen, study);
  }
  if (chosen.json) {
    PrintJson(CollisionsJson(std::move(objects),
                             other ? CollisionJson(*other, chosen.worst) : OrderedJson(nullptr)));
  } else if (chosen.periods != "-" && chosen.pairs != "-") {
    PrintText(text);
  }
  return 0;
}

int Paths(const std::vector<std::string>& arguments) {
  std::string result, against, csv;
  std::size_t shown = 3;
  bool force = false, json = false;
  CLI::App app(
      "How the queue pairs of each connection between servers shared its bytes, over which paths, "
      "and what that gained.",
      "analyze paths");
  app.add_option("RESULT", result, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("--against", against,
                 "measure the gain over this result of the same traffic, such as one with equal "
                 "shares (requests.scheduler=stripe)")
      ->type_name("FILE");
  app.add_option("--csv", csv,
                 "write all queue pairs of all connections to this file (\"-\": standard output, "
                 "instead of the text)")
      ->type_name("FILE");
  app.add_flag("--force", force, "replace an existing file");
  app.add_option("--worst", shown, "describe so many of the connections furthest from equal shares")
      ->check(WholeNumber(0, 1'000'000))
      ->capture_default_str();
  AddJsonFlag(&app, &json);
  app.footer(
      Examples({"heddle analyze paths cast.h5", "heddle analyze paths cast.h5 --against stripe.h5",
                "heddle analyze paths cast.h5 --csv shares.csv"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonAlone(json, "--csv", csv);
  CheckOutputs({{"--csv", csv}}, {{"RESULT", result}, {"--against", against}}, force);
  const PathStudy study = StudyPaths(result);
  if (!(against.empty() && csv.empty()) && !study.has_flows)
    FailInput({result, 0}, "not all flows have rows", "a run with --record flows=all");
  std::optional<PathGain> gain;
  if (!against.empty()) gain = GainOver(study.times, result, TimesOfConnections(against), against);
  if (!csv.empty()) WriteText(csv, PathLines(study));
  if (json) {
    PrintJson(PathsJson(study, shown, gain));
  } else if (csv != "-") {
    PrintText(DescribePaths(study, shown, gain));
  }
  return 0;
}

int Step(const std::vector<std::string>& arguments) {
  std::string result, csv;
  std::size_t shown = 8;
  bool force = false, json = false;
  CLI::App app(
      "Where the time of each job went, what its end waited for, piece by piece, and what made "
      "each "
      "piece as long as it was: the critical path of the GPU that ended last.",
      "analyze step");
  app.add_option("RESULT", result, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("--top", shown, "describe so many causes and pieces")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--csv", csv,
                 "write all pieces to this file (\"-\": standard output, instead of the text)")
      ->type_name("FILE");
  app.add_flag("--force", force, "replace an existing file");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle analyze step result.h5", "heddle analyze step result.h5 --top 20",
                       "heddle analyze step result.h5 --csv pieces.csv"}));
  if (!ParseArguments(&app, arguments)) return 0;
  CheckJsonAlone(json, "--csv", csv);
  CheckOutputs({{"--csv", csv}}, {{"RESULT", result}}, force);
  const std::vector<StepExplanation> studies = ExplainSteps(result);
  if (!csv.empty()) WriteText(csv, PieceLines(studies));
  if (json) PrintJson(CausesJson(studies, shown, result));
  if (json || csv == "-") return 0;
  std::string text;
  for (const StepExplanation& study : studies)
    text += (text.empty() ? "" : "\n") + DescribeCauses(study, shown);
  PrintText(text);
  return 0;
}

int Links(const std::vector<std::string>& arguments) {
  std::string result, csv, at;
  LinkWish wish;
  bool force = false, json = false;
  CLI::App app(
      "How much links were used while they were busy, that is while flows were under way on them, "
      "and by whom; or who was on them at one moment.",
      "analyze links");
  app.add_option("RESULT", result, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("--top", wish.top, "describe so many links")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--tier", wish.tier,
                 "of this tier, such as \"leaf to spine\" or NVLink (default: all but NVLink)");
  app.add_option("--at", at, "only flows that are under way at this time, such as 1.2ms")
      ->type_name("TIME");
  app.add_option("--csv", csv,
                 "write the links to this file (\"-\": standard output, instead of the text)")
      ->type_name("FILE");
  app.add_flag("--force", force, "replace an existing file");
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle analyze links result.h5",
                       "heddle analyze links result.h5 --tier \"leaf to spine\" --top 20",
                       "heddle analyze links result.h5 --at 1.2ms"}));
  if (!ParseArguments(&app, arguments)) return 0;
  if (!at.empty()) wish.at = ParseTimeFlag("--at", at);
  CheckJsonAlone(json, "--csv", csv);
  CheckOutputs({{"--csv", csv}}, {{"RESULT", result}}, force);
  const LinkStudy study = StudyLinks(result, wish);
  if (!csv.empty()) WriteText(csv, LinkLines(study));
  if (json) {
    PrintJson(LinksJson(study, wish, result));
  } else if (csv != "-") {
    PrintText(DescribeLinks(study, wish));
  }
  return 0;
}

int Interference(const std::vector<std::string>& arguments) {
  std::string result;
  std::size_t shown = 8;
  bool json = false;
  CLI::App app(
      "What jobs of one run lost to each other: time on the critical path of each job during which "
      "others' messages were in its way, by job and link.",
      "analyze interference");
  app.add_option("RESULT", result, "result file (HDF5)")->required()->type_name("FILE");
  app.add_option("--top", shown, "describe so many links of each job")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str();
  AddJsonFlag(&app, &json);
  app.footer(Examples({"heddle analyze interference result.h5"}));
  if (!ParseArguments(&app, arguments)) return 0;
  const std::vector<StepExplanation> studies = ExplainSteps(result);
  if (ResultReader(result).CountRows("jobs") < 2)
    FailInput({result, 0}, "one job alone",
              "a run of several jobs (heddle run --job ... --job ...)");
  if (json) {
    PrintJson(InterferenceJson(studies, shown, result));
  } else {
    PrintText(DescribeInterference(studies, shown));
  }
  return 0;
}

struct Subject {
  const char *name, *about;
  int (*run)(const std::vector<std::string>& arguments);
  const char* example;
};
constexpr Subject kSubjects[] = {
    {"collisions", "which flows shared which link, and when; what the central controller avoided",
     Collisions, "heddle analyze collisions controller.h5 --against hashed.h5"},
    {"failures", "what broke, who waited because of it, and what it cost", AnalyzeFailures,
     "heddle analyze failures failed.h5 --against healthy.h5"},
    {"interference", "what jobs lost to each other, and on which links", Interference,
     "heddle analyze interference result.h5"},
    {"links", "which links were full while they were busy, and with whose flows", Links,
     "heddle analyze links result.h5 --tier \"leaf to spine\""},
    {"paths", "how queue pairs shared the bytes of their connections, and what CAST gained", Paths,
     "heddle analyze paths cast.h5 --against stripe.h5"},
    {"serve", "what late requests to a language model waited for", AnalyzeServe,
     "heddle analyze serve result.h5"},
    {"step", "where a step's time went, and which link, queue or GPU made it so", Step,
     "heddle analyze step result.h5"}};

void PrintSubjects() {
  std::string subjects, examples;
  for (const Subject& subject : kSubjects) {
    subjects += fmt::format("  {:<14}{}\n", subject.name, subject.about);
    examples += fmt::format("  {}\n", subject.example);
  }
  PrintHelp(
      "Usage: heddle analyze SUBJECT [OPTIONS]   (heddle analyze SUBJECT --help)\n\nSubjects:\n" +
      subjects + "\nExamples:\n" + examples);
}

}  // namespace

int AnalyzeCommand(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    PrintSubjects();
    return static_cast<int>(arguments.empty() ? ExitCode::kUsage : ExitCode::kDone);
  }
  std::string known;
  for (const Subject& subject : kSubjects) {
    if (arguments[0] == subject.name) return subject.run({arguments.begin() + 1, arguments.end()});
    known += (known.empty() ? "" : ", ") + std::string(subject.name);
  }
  throw UsageError(
      fmt::format("unknown subject '{}' of heddle analyze. Expected: {}", arguments[0], known));
}

}  // namespace heddle
