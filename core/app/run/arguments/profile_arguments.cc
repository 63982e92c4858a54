// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/profile_arguments.h"

#include "core/app/base/cli/parse_arguments.h"

namespace heddle {

void AddProfileArguments(CLI::App* app, const std::string& group, RunArguments* run) {
  app->add_option(
         "--profile", run->profile,
         "record what servers and switches cost, for --weights and heddle partition --predict")
      ->type_name("FILE")
      ->group(group);
  app->add_option("--profile-for", run->profile_for,
                  "end after this wall-clock time: a profile of the run so far, without a result")
      ->type_name("TIME")
      ->group(group);
  app->add_option("--profile-until", run->profile_until,
                  "end at this simulated time, in the same way")
      ->type_name("TIME")
      ->group(group);
}

void CheckProfileArguments(const RunArguments& run) {
  for (const auto& [flag, text] : {std::pair("--profile-for", run.profile_for),
                                   std::pair("--profile-until", run.profile_until)}) {
    if (text.empty()) continue;
    if (ParseTimeFlag(flag, text).ps <= 0) {
      throw UsageError(std::string(flag) + ": found '" + Printable(text) +
                       "'. Expected: a time above 0, such as 20s");
    }
    if (run.profile.empty())
      throw UsageError(std::string(flag) +
                       ": ends the run for its profile. Expected: --profile FILE");
    if (!run.output.empty()) {
      throw UsageError(std::string(flag) +
                       ": the run ends early, so its result would be incomplete. Expected: no -o");
    }
  }
  if (!run.profile.empty() && run.engine != "domain") {
    throw UsageError("--profile: found --engine " + run.engine +
                     ". Expected: the engine domain, which alone has windows");
  }
}

void SetLimits(const RunArguments& run, EngineSetup* setup) {
  if (!run.profile_for.empty()) setup->stop_after = ParseTime(run.profile_for).seconds();
  if (!run.profile_until.empty()) setup->stop_at = ParseTime(run.profile_until);
}

}  // namespace heddle
