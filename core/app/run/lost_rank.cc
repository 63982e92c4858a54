// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/lost_rank.h"

#include <fmt/format.h>

#include "core/app/cli/rank_lines.h"

namespace heddle {
namespace {

std::string HowToGoOn(const LostRun& run) {
  if (run.result.empty()) return "There is no result to go on with";
  if (run.saved) return "The same command with --restart auto goes on from " + run.result + ".ckpt";
  if (run.flushed) return "heddle recover " + run.result + " makes a result of what was flushed";
  return "Nothing was written yet";
}

}  // namespace

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
