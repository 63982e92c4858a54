// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/run_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <variant>

#include "collectives/job/job.h"
#include "core/app/base/cli/file_digest.h"
#include "core/app/run/arguments/serving_arguments.h"
#include "core/app/run/setup/environment.h"

namespace heddle {
RunIdentity IdentityOf(const RunArguments& arguments, const RunInput& input,
                       const std::vector<Attribute>& inputs) {
  RunIdentity identity;
  for (const Attribute& about : inputs) {
    if (about.name == "command_line" || about.name == "option controller.log")
      continue;                                 // skips names of files
    if (about.name == "conf_digest") continue;  // skipped, because comments change it
    if (about.name == "option engine.replay" || about.name == "option replay.memory" ||
        about.name == "option debug.refuse_replay" || about.name == "option chakra.window" ||
        about.name == "option goal.window")
      continue;  // skipped, because nothing depends on them
    const std::int64_t* number = std::get_if<std::int64_t>(&about.value);
    const std::string* text = std::get_if<std::string>(&about.value);
    identity.emplace_back(about.name, number != nullptr ? std::to_string(*number)
                                      : text != nullptr ? *text
                                                        : "");
  }
  identity.emplace_back("--passes", std::to_string(arguments.passes));
  if (arguments.start_unit != RunArguments().start_unit)
    identity.emplace_back("--start-unit", arguments.start_unit);
  identity.emplace_back("--backend", arguments.backend);
  if (!arguments.deployment.empty())
    identity.emplace_back("requests", IdentityOfRequests(arguments.serving));
  for (std::size_t i = 0; i < arguments.jobs.size(); ++i) {
    const JobSpec job = ParseJobSpec(arguments.jobs[i]);
    identity.emplace_back(
        fmt::format("--job {}", i),
        fmt::format("gpus={},start={},placement={},passes={}", job.gpus, ToText(job.start),
                    static_cast<int>(job.placement), job.passes));
  }
  std::vector<std::string> recorded = arguments.record;
  std::sort(recorded.begin(), recorded.end());
  for (const std::string& record : recorded) identity.emplace_back("--record", record);
  for (const std::string& line : input.environment) {
    if (!SaysWhereAFileIs(line)) identity.emplace_back("environment", line);
  }
  return identity;
}

std::string IdentityDigest(const RunIdentity& identity) {
  std::string text;
  for (const auto& [name, value] : identity) text += name + '\0' + value + '\0';
  return BytesDigest(text.data(), text.size());
}

}  // namespace heddle
