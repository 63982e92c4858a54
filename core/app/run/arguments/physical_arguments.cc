// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/arguments/physical_arguments.h"

#include "transport/run/backends/make_backend.h"

namespace heddle {
namespace {

constexpr const char* kGpusPerRank = "--gpus-per-rank";

struct Senseless {
  const char* flag;
  const char* why;
};
constexpr Senseless kSenseless[] = {
    {"--engine", "no events are simulated"},
    {"--exchange", "there are no windows"},
    {"--partition", "ranks play GPUs in their order"},
    {"--grain", "there are no domains"},
    {"--lookahead", "there are no windows"},
    {"--weights", "ranks play GPUs in their order"},
    {"--profile", "no events are simulated"},
    {"--failures", "links of real machines do not fail on request"},
    {"--checkpoint-every", "what is under way between machines cannot be saved"},
    {"--checkpoint-at", "what is under way between machines cannot be saved"},
    {"--max-wall", "what is under way between machines cannot be saved"},
    {"--restart", "what is under way between machines cannot be saved"},
};

}  // namespace

bool IsPhysical(const RunArguments& run) {
  return ParseBackendKind(run.backend) == BackendKind::kPhysical;
}

void AddPhysicalArguments(CLI::App* app, const std::string& group, RunArguments* run) {
  app->add_option(kGpusPerRank, run->gpus_per_rank,
                  "GPUs that each rank plays (--backend physical)")
      ->check(WholeNumber(1, 1'000'000))
      ->capture_default_str()
      ->group(group);
}

void CheckPhysicalArguments(const CLI::App& app, const RunArguments& run) {
  if (!IsPhysical(run)) {
    if (app.get_option(kGpusPerRank)->count() == 0) return;
    throw UsageError(std::string(kGpusPerRank) +
                     ": only ranks whose traffic is real play GPUs. Expected: --backend physical");
  }
  for (const auto& [flag, why] : kSenseless) {
    if (app.get_option(flag)->count() == 0) continue;
    throw UsageError(std::string(flag) + ": with --backend physical " + why + ". Expected: no " +
                     flag);
  }
}

}  // namespace heddle
