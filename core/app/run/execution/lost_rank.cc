// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/lost_rank.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/app/base/cli/rank_lines.h"
#include "core/base/printable.h"

namespace heddle {
namespace {

std::string HowToGoOn(const LostRun& run) {
  if (run.result.empty()) return "There is no result to go on with";
  if (run.saved) return "The same command with --restart auto goes on from " + run.result + ".ckpt";
  if (run.flushed) return "heddle recover " + run.result + " makes a result of what was flushed";
  return "Nothing was written yet";
}

/// "rank 2 (on node7)"; without the machine if that is not known.
std::string WithHosts(const std::vector<std::uint32_t>& ranks, std::uint32_t of,
                      const std::vector<std::string>& hosts) {
  constexpr std::size_t kMostNamed = 4;
  std::string text = DescribeRanks(ranks, of);
  if (hosts.empty()) return text;
  std::string names;
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNamed); ++i)
    names += (names.empty() ? "" : ", ") + Printable(hosts[ranks[i]]);
  return fmt::format("{} (on {}{})", text, names, ranks.size() > kMostNamed ? ", ..." : "");
}

std::string WhoIsMissing(const RollCall& call, std::uint32_t of, const LostRun& run) {
  if (!call.missing.empty())
    return fmt::format(
        "{} did not answer: stopped, on a machine that is stuck, or held up by a file system",
        WithHosts(call.missing, of, run.hosts));
  if (call.kind == WaitKind::kTraffic && !call.working.empty())
    return fmt::format("all ranks answer, but {} did not wait: slow, or computing for longer",
                       WithHosts(call.working, of, run.hosts));
  if (call.kind == WaitKind::kTraffic)
    return "all ranks answer, and wait for each other, so a message was lost";
  return "all ranks wait for each other, so a message was lost";
}

}  // namespace

std::string DescribeLoss(const RollCall& call, const Communicator& world, const LostRun& run) {
  const char* limit =
      call.kind == WaitKind::kCollective ? "ten times --patience, as not in a window"
      : call.kind == WaitKind::kTraffic && call.missing.empty() ? "ten times --patience"
                                                                : "--patience";
  const char* time = call.kind == WaitKind::kTraffic ? "into the run" : "of simulated time";
  std::string text =
      fmt::format("{} waited {:.3g} s ({}) at {} {}, and {}. ",
                  WithHosts({world.rank().value}, world.size(), run.hosts), call.waited, limit,
                  ToText(run.now), time, WhoIsMissing(call, world.size(), run));
  if (!run.waits.empty()) text += run.waits + ". ";
  return text + HowToGoOn(run);
}

}  // namespace heddle
