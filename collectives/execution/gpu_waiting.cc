// SPDX-License-Identifier: GPL-2.0-only
// Words for what a GPU waits for when a run does not end.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/gpu_execution.h"
#include "topology/graph/node_names.h"

namespace heddle {

/// Describes the first missing message of each source and channel: "channel 0 step 3 from GPU 2".
std::string CollectiveRunner::Missing(const Participation& part, const NodeNames& names) const {
  constexpr std::size_t kMost = 4;
  constexpr std::uint64_t kMostVisited = 5'000'000;
  const PlannedCollective& collective = *part.collective;
  if (collective.schedule->flow_count() > kMostVisited) return "";
  const GroupShape& shape = *collective.shape;
  std::map<std::uint64_t, std::vector<GroupFlow>> due;
  collective.schedule->ForEach([&](const GroupFlow& flow) {
    if (flow.destination == part.me)
      due[Participation::StreamOf(flow, flow.source)].push_back(flow);
  });
  std::string text;
  std::size_t count = 0;
  for (const auto& [stream, flows] : due) {
    const std::uint32_t came = part.received.Find(stream);
    const std::size_t next = came == FlatMap::kNone ? 0 : came;
    if (next >= flows.size() || ++count > kMost) continue;
    text += fmt::format("{} channel {} step {} from {}", count == 1 ? "; next is" : ",",
                        flows[next].channel, flows[next].chunk,
                        names.Of(shape.node(flows[next].source)));
  }
  if (count > kMost) text += fmt::format(", and from {} more", count - kMost);
  return text;
}

std::string CollectiveRunner::Waiting(const NodeNames& names) const {
  std::string text = fmt::format("{} (job {}, rank {})", names.Of(gpu()), job_->index(), rank_);
  if (parts_.empty()) return text + " has not begun";
  for (const auto& part : parts_) {
    text += fmt::format("{} {}, ", part == parts_.front() ? " waits for" : "; and for",
                        job_->NameOf(part->operation));
    text += fmt::format("group {} ({}): ", part->group, ToText(part->collective->choice.algorithm));
    if (!part->begun) {
      text += "others send, and it has not come so far";
      continue;
    }
    if (IsCarried(part->collective->spec)) {
      text += "handed over as a whole";
      continue;
    }
    text +=
        fmt::format("{} messages to come and {} to leave", part->left.receives, part->left.sends);
    text += Missing(*part, names);
  }
  return text;
}

std::string GpuExecution::Waiting(const NodeNames& names) const {
  const std::string program = clock_->Waiting();
  if (program.empty()) return runner_.Waiting(names);
  return fmt::format("{} (job {}, rank {}) waits for {}", names.Of(runner_.gpu()),
                     runner_.job().index(), runner_.rank(), program);
}

}  // namespace heddle
