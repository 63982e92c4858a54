// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/traces/workload_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "collectives/unrolled/unrolled_jobs.h"
#include "core/app/arguments/input_files.h"
#include "core/app/arguments/output_conflicts.h"
#include "core/app/arguments/run_flags.h"
#include "core/app/arguments/traffic_sources.h"
#include "core/app/cli/output_text.h"
#include "core/app/setup/environment.h"
#include "core/app/setup/run_input.h"
#include "core/base/check.h"
#include "core/mpi/communicator.h"
#include "io/goal/goal_writer.h"

namespace heddle {
namespace {

/// The value of --goal, which is taken out of the words.
std::string TakeGoal(std::vector<std::string>* words) {
  const std::string equals = std::string(kGoalFlag) + "=";
  for (auto word = words->begin(); word != words->end(); ++word) {
    std::string file;
    auto end = word + 1;
    if (word->rfind(equals, 0) == 0) {
      file = word->substr(equals.size());
    } else if (*word != kGoalFlag) {
      continue;
    } else if (end != words->end()) {
      file = *end++;
    }
    words->erase(word, end);
    if (file.empty()) break;
    return file;
  }
  throw UsageError("--goal needs a value. Expected: --goal FILE (\"-\": standard output)");
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool ExportsWorkload(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == kGoalFlag || word.rfind(std::string(kGoalFlag) + "=", 0) == 0;
  });
}

int ExportWorkload(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = arguments;
  const std::string file = TakeGoal(&words);
  RunArguments run;
  if (!ParseRunArguments(words, &run)) return 0;
  const Environment environment = SharedEnvironment(Communicator::Serial());
  ResolveTraffic(environment, &run);
  if (!SourceOf(run).has_jobs())
    throw UsageError("--goal: a schedule is made of a workload. Expected: -w FILE or --job ...");
  CheckOutputs({{kGoalFlag, file}}, InputFiles(run), run.force);
  RunInput input;
  LoadRun(run, 1, environment, &input);
  for (const std::string& warning : input.warnings)
    std::fprintf(stderr, "heddle: warning: %s\n", warning.c_str());
  const GoalSchedule schedule = UnrollJobs(*input.graph, input.jobs, input.collectives, file);
  std::ostringstream text;
  if (EndsWith(file, ".bin")) {
    WriteGoalBinary(schedule, &text);
  } else {
    WriteGoalText(schedule, &text);
  }
  WriteText(file, text.str());
  if (file != "-")
    std::fprintf(stderr, "heddle: note: %s: %zu ranks, %llu operations\n", Printable(file).c_str(),
                 schedule.ranks.size(),
                 static_cast<unsigned long long>(schedule.CountOperations()));
  return 0;
}

}  // namespace heddle
