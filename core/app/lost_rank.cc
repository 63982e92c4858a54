// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/lost_rank.h"

#include <fmt/format.h>

#include "core/app/rank_lines.h"
#include "core/app/wall_time.h"

namespace heddle {
namespace {

constexpr const char* kNever = "never";

std::string HowToGoOn(const LostRun& run) {
  if (run.result.empty()) return "There is no result to go on with";
  if (run.saved) return "The same command with --restart auto goes on from " + run.result + ".ckpt";
  if (run.flushed) return "heddle recover " + run.result + " makes a result of what was flushed";
  return "Nothing was written yet";
}

}  // namespace

void AddPatienceArgument(CLI::App* app, const char* group, RunArguments* run) {
  app->add_option("--patience", run->patience,
                  "end the run, with exit code 8, when a rank that hangs has kept the others "
                  "waiting so long, by the clock; ten "
                  "times as long while files are read and written")
      ->capture_default_str()
      ->type_name("never|TIME")
      ->group(group);
}

double PatienceOf(const RunArguments& run) {
  return run.patience == kNever ? 0 : ParseWallTime("--patience", run.patience);
}

std::string DescribeLoss(const RollCall& call, const Communicator& world, const LostRun& run) {
  const std::string who = call.missing.empty()
                              ? "all ranks wait for each other, so a message was lost"
                              : fmt::format(
                                    "{} did not answer: stopped, on a machine that is stuck, or "
                                    "held up by a file system",
                                    DescribeRanks(call.missing, world.size()));
  const char* limit =
      call.kind == WaitKind::kWindow ? "--patience" : "ten times --patience, as not in a window";
  return fmt::format("rank {} waited {:.3g} s ({}) at {} of simulated time, and {}. {}",
                     world.rank().value, call.waited, limit, ToText(run.now), who, HowToGoOn(run));
}

}  // namespace heddle
