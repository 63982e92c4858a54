// SPDX-License-Identifier: GPL-2.0-only
/// `heddle loggops`: a schedule in GOAL, or what a workload computes and sends, over LogGOPS' ideal
/// network.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/setup/all_options.h"
#include "core/app/views/traces/workload_export.h"
#include "core/goal/loggops.h"
#include "io/goal/goal_file.h"
#include "io/goal/goal_messages.h"
#include "io/table/json_document.h"

namespace heddle {
namespace {

constexpr int kLogGopsSchema = 1;
constexpr std::size_t kMostPrinted = 16;  ///< ranks in the text, as LogGOPSim prints them

struct LogGopsArguments {
  std::string file, match = "posted";
  RunArguments run;  ///< without `file`: of the workload
  LogGopsOptions network;
  bool json = false;
};

/// Declares a time or a number of bytes; whole, from 0 on.
void AddWhole(CLI::App* app, const char* names, std::int64_t* value, const char* help) {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  app->add_option(names, *value, help)
      ->check(WholeNumber(0, kMost))
      ->capture_default_str()
      ->type_name("NUMBER");
}

/// Declares a time a byte; from 0 to 1000 ns.
void AddPerByte(CLI::App* app, const char* names, double* value, const char* help) {
  app->add_option(names, *value, help)
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str()
      ->type_name("NUMBER");
}

/// Declares what chooses a workload, the GPUs that it runs on, and its collectives.
void AddWorkloadFlags(CLI::App* app, RunArguments* run) {
  const char* group = "Workload";
  app->add_option("-n,--topology", run->topology, "fabric, whose GPUs and servers count")
      ->type_name("FILE")
      ->group(group);
  app->add_option("-w,--workload", run->workload, "training workload (SimAI's text format)")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--job", run->jobs, "a job, as heddle run has it; repeatable")
      ->allow_extra_args(false)
      ->type_name("JOB")
      ->group(group);
  app->add_option("--passes", run->passes, "iterations of -w")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str()
      ->group(group);
  app->add_option("-c,--conf", run->conf, "SimAI.conf")->type_name("FILE")->group(group);
  app->add_option("--set", run->settings, "any key of 'heddle options'; repeatable")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE")
      ->group(group);
}

bool ParseLogGops(const std::vector<std::string>& arguments, LogGopsArguments* given) {
  CLI::App app(
      "Run a schedule in GOAL, or a workload, over LogGOPS' ideal network, where no link is "
      "shared.",
      "loggops");
  app.add_option("FILE", given->file, "schedule in GOAL, text or binary; else -n and -w")
      ->type_name("FILE");
  AddWorkloadFlags(&app, &given->run);
  LogGopsOptions& network = given->network;
  AddWhole(&app, "-L,--latency", &network.latency, "latency of the network [ns]");
  AddWhole(&app, "-o,--overhead", &network.overhead, "overhead of a cpu for a message [ns]");
  AddWhole(&app, "-g,--gap", &network.gap, "gap of a NIC between messages [ns]");
  AddPerByte(&app, "-G,--gap-per-byte", &network.gap_per_byte, "gap for a byte [ns]");
  AddPerByte(&app, "-O,--overhead-per-byte", &network.overhead_per_byte,
             "overhead of a cpu for a byte [ns]");
  AddWhole(&app, "-S,--eager-limit", &network.eager_limit,
           "larger messages end at the sender when their receive takes them [byte]");
  app.add_option(
         "--match", given->match,
         "which receive of equal source and tag takes a message while the receiver is busy: "
         "posted: the one that was posted first; atlahs: another, as in ATLAHS' LogGOPSim")
      ->check(CLI::IsMember({"posted", "atlahs"}))
      ->capture_default_str()
      ->type_name("posted|atlahs");
  AddJsonFlag(&app, &given->json);
  app.footer(
      Examples({"heddle loggops step.goal", "heddle loggops -n fabric.txt -w step.txt -G 0.02",
                "heddle loggops step.bin -L 3700 -o 200 -g 5 -G 0.04 -O 0 -S 0 --json"}));
  if (!ParseArguments(&app, arguments)) return false;
  network.busy_receives_last = given->match == "atlahs";
  if (given->file.empty() == given->run.topology.empty())
    throw UsageError(
        given->file.empty()
            ? "heddle loggops needs a schedule. Expected: FILE, or -n FABRIC -w WORKLOAD"
            : "FILE and -n. Expected: one of them");
  if (given->file.empty()) given->file = given->run.workload.empty() ? "jobs" : given->run.workload;
  return true;
}

std::string LogGopsText(const GoalSchedule& schedule, const std::vector<std::int64_t>& ends) {
  std::string text;
  for (std::size_t i = 0; i < ends.size() && ends.size() <= kMostPrinted; ++i)
    text += fmt::format("rank {:<11} {} ns\n", i, ends[i]);
  const auto last = std::max_element(ends.begin(), ends.end());
  return text + fmt::format("last             rank {} of {} at {} ns; {} operations\n",
                            last - ends.begin(), ends.size(), *last, schedule.CountOperations());
}

OrderedJson LogGopsJson(const LogGopsArguments& given, const LogGops& run,
                        const std::vector<std::int64_t>& ends) {
  OrderedJson document = JsonDocument("loggops", kLogGopsSchema);
  const LogGopsOptions& network = given.network;
  document["trace"] = given.file;
  document["latency_ns"] = network.latency;
  document["overhead_ns"] = network.overhead;
  document["gap_ns"] = network.gap;
  document["gap_per_byte_ns"] = network.gap_per_byte;
  document["overhead_per_byte_ns"] = network.overhead_per_byte;
  document["eager_limit_bytes"] = network.eager_limit;
  document["match"] = given.match;
  document["state"] = run.waiting_ranks() == 0 ? "finished" : "stalled";
  document["ended_operations"] = run.ended();
  document["end_ns"] = ends;
  return document;
}

/// Throws Error of code 4 if ranks wait for ever.
void CheckEnd(const LogGops& run, std::size_t ranks) {
  const std::uint64_t waiting = run.waiting_ranks();
  if (waiting == 0) return;
  constexpr std::size_t kMost = 10;
  std::string text = fmt::format("{} rank{} of {} did not come to {} end:", waiting,
                                 waiting == 1 ? "" : "s", ranks, waiting == 1 ? "its" : "their");
  for (const std::string& line : run.Waiting(kMost)) text += "\n  " + line;
  if (waiting > kMost) text += fmt::format("\n  ... and {} more", waiting - kMost);
  throw Error(ExitCode::kStalled, text);
}

/// Returns goal.window, as --set has it. Throws UserError for keys that are none.
std::uint64_t WindowOf(const LogGopsArguments& given) {
  AllOptions all;
  all.options.SetAll(given.run.settings);
  return static_cast<std::uint64_t>(all.goal_window.operations);
}

}  // namespace

int LogGopsCommand(const std::vector<std::string>& arguments) {
  LogGopsArguments given;
  if (!ParseLogGops(arguments, &given)) return 0;
  std::vector<std::string> warnings;
  const GoalSchedule schedule = given.run.topology.empty()
                                    ? ReadGoal(given.file, WindowOf(given), &warnings)
                                    : UnrollRun(given.run, given.file, &warnings);
  if (std::string warning = CheckGoalMessages(schedule); !warning.empty())
    warnings.push_back(std::move(warning));
  for (const std::string& warning : warnings) PrintWarning(warning);
  LogGops run(schedule, given.network);
  run.Run();
  const std::vector<std::int64_t> ends = run.ends();
  if (given.json) {
    PrintJson(LogGopsJson(given, run, ends));
  } else {
    PrintText(LogGopsText(schedule, ends));
  }
  CheckEnd(run, schedule.rank_count());
  return 0;
}

}  // namespace heddle
