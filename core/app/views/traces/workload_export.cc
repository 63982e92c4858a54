// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/traces/workload_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string_view>

#include "collectives/chakra/chakra_of_job.h"
#include "collectives/unrolled/unrolled_jobs.h"
#include "core/app/base/cli/output_text.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/run_flags.h"
#include "core/app/run/arguments/traffic_sources.h"
#include "core/app/run/setup/environment.h"
#include "core/app/run/setup/run_input.h"
#include "core/base/check.h"
#include "core/mpi/communicator.h"
#include "io/chakra/chakra_writer.h"
#include "io/goal/goal_writer.h"

namespace heddle {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Throws UsageError for jobs that are schedules already.
void ExpectWorkloads(const RunInput& input) {
  if (input.serving != nullptr)
    throw UserError("--serve: requests are no workload. Expected: -w FILE or --job alone");
  if (!input.schedules.empty())
    throw UsageError(input.schedules[0].schedule.file +
                     ": a schedule in GOAL already. Expected: workloads");
}

void WriteGoal(const RunArguments& run, const RunInput& input, const std::string& to) {
  CheckOutputs({{"--goal", to}}, InputFiles(run), run.force);
  const GoalSchedule schedule = UnrollJobs(*input.graph, input.jobs, input.collectives, to);
  std::ostringstream text;
  if (EndsWith(to, ".bin")) {
    WriteGoalBinary(schedule, &text);
  } else {
    WriteGoalText(schedule, &text);
  }
  WriteText(to, text.str());
  if (to != "-") {
    std::fprintf(stderr, "heddle: note: %s: %zu ranks, %llu operations\n", Printable(to).c_str(),
                 schedule.ranks.size(),
                 static_cast<unsigned long long>(schedule.CountOperations()));
  }
}

void WriteChakra(const RunArguments& run, const RunInput& input, const std::string& to) {
  if (input.jobs.size() != 1)
    throw UsageError("--chakra: a trace is of one job. Expected: -w FILE");
  const ChakraTrace trace = ChakraOfJob(input.jobs[0]);
  std::vector<OutputFile> files;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    files.push_back({"--chakra", fmt::format("{}.{}.et", to, rank)});
  const std::string groups = ChakraGroupsText(trace);
  if (!groups.empty()) files.push_back({"--chakra", to + ".groups.json"});
  CheckOutputs(files, InputFiles(run), run.force);
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank)
    WriteText(files[rank].path, ChakraBytes(trace, rank));
  if (!groups.empty()) WriteText(files.back().path, groups);
  std::fprintf(stderr, "heddle: note: %s: %zu ranks, %zu groups\n", Printable(to).c_str(),
               trace.ranks.size(), trace.groups.size());
}

bool IsFlag(const std::string& word, const char* flag) {
  return word == flag || word.rfind(std::string(flag) + "=", 0) == 0;
}

/// The form that the words ask for, or nullptr.
const ExportForm* FindForm(const std::vector<std::string>& words) {
  for (const ExportForm& form : ExportForms()) {
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& word) { return IsFlag(word, form.flag); }))
      return &form;
  }
  return nullptr;
}

/// The value of a form's flag, which is taken out of the words.
std::string TakeValue(const ExportForm& form, std::vector<std::string>* words) {
  const auto word = std::find_if(words->begin(), words->end(),
                                 [&](const std::string& one) { return IsFlag(one, form.flag); });
  std::string value;
  auto end = word + 1;
  if (*word != form.flag) {
    value = word->substr(std::string(form.flag).size() + 1);
  } else if (end != words->end()) {
    value = *end++;
  }
  words->erase(word, end);
  if (value.empty())
    throw UsageError(fmt::format("{0} needs a value. Expected: {0} {1}", form.flag, form.value));
  return value;
}

}  // namespace

const std::vector<ExportForm>& ExportForms() {
  static const std::vector<ExportForm> forms = {
      {"--goal", "FILE",
       "what the workload computes and sends, as a schedule in GOAL; a file .bin: in binary",
       WriteGoal},
      {"--chakra", "PREFIX", "the workload as an execution trace of Chakra", WriteChakra},
  };
  return forms;
}

GoalSchedule UnrollRun(RunArguments run, const std::string& name,
                       std::vector<std::string>* warnings) {
  const Environment environment = SharedEnvironment(Communicator::Serial());
  ResolveTraffic(environment, &run);
  if (!SourceOf(run).has_jobs())
    throw UsageError("a schedule in GOAL is made of a workload. Expected: -w FILE or --job ...");
  RunInput input;
  LoadRun(run, 1, environment, &input);
  ExpectWorkloads(input);
  warnings->insert(warnings->end(), input.warnings.begin(), input.warnings.end());
  return UnrollJobs(*input.graph, input.jobs, input.collectives, name);
}

bool ExportsWorkload(const std::vector<std::string>& arguments) {
  return FindForm(arguments) != nullptr;
}

int ExportWorkload(const std::vector<std::string>& arguments) {
  const ExportForm& form = *FindForm(arguments);
  std::vector<std::string> words = arguments;
  const std::string to = TakeValue(form, &words);
  if (const ExportForm* second = FindForm(words))
    throw UsageError(fmt::format("{} and {}. Expected: one of them", form.flag, second->flag));
  RunArguments run;
  if (!ParseRunArguments(words, &run)) return 0;
  const Environment environment = SharedEnvironment(Communicator::Serial());
  ResolveTraffic(environment, &run);
  if (!SourceOf(run).has_jobs())
    throw UsageError(
        fmt::format("{}: is made of a workload. Expected: -w FILE or --job ...", form.flag));
  RunInput input;
  LoadRun(run, 1, environment, &input);
  for (const std::string& warning : input.warnings)
    std::fprintf(stderr, "heddle: warning: %s\n", warning.c_str());
  ExpectWorkloads(input);
  form.write(run, input, to);
  return 0;
}

}  // namespace heddle
