// SPDX-License-Identifier: GPL-2.0-only
/// `heddle loggops`: a schedule in GOAL over LogGOPS' ideal network.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/app/base/cli/commands.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/base/cli/parse_arguments.h"
#include "core/app/base/cli/terminal.h"
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

bool ParseLogGops(const std::vector<std::string>& arguments, LogGopsArguments* given) {
  CLI::App app("Run a schedule in GOAL over LogGOPS' ideal network, without a fabric.", "loggops");
  app.add_option("FILE", given->file, "schedule in GOAL, text or binary")
      ->required()
      ->type_name("FILE");
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
  app.footer(Examples({"heddle loggops step.goal",
                       "heddle loggops step.bin -L 3700 -o 200 -g 5 -G 0.04 -O 0 -S 0 --json"}));
  if (!ParseArguments(&app, arguments)) return false;
  network.busy_receives_last = given->match == "atlahs";
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

}  // namespace

int LogGopsCommand(const std::vector<std::string>& arguments) {
  LogGopsArguments given;
  if (!ParseLogGops(arguments, &given)) return 0;
  std::vector<std::string> warnings;
  const GoalSchedule schedule = ReadGoal(given.file, &warnings);
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
  CheckEnd(run, schedule.ranks.size());
  return 0;
}

}  // namespace heddle
