// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/phased_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "collectives/coordinator/phased_agent.h"
#include "collectives/coordinator/phased_traffic.h"
#include "topology/graph/node_names.h"

namespace heddle {

void PhasedCollectives::AddJob(const Job& job) {
  for (const ProgramOp& op : job.program.ops) messages_ = messages_ || IsBetweenTwo(op.spec);
  const GroupLists& lists = job.program.lists;
  for (std::uint32_t list = 0; list < lists.count(); ++list) {
    const bool all = lists.size(list) == job.gpus.size() && job.gpus.size() == gpus_;
    if (lists.is_along_dimensions(list) || all) continue;
    std::vector<NodeId> members;
    for (const std::uint32_t rank : lists.Members(list)) members.push_back(job.gpus[rank]);
    planner_.AddLine(members);
  }
}

std::unique_ptr<CollectiveAgent> PhasedCollectives::MakeAgent(
    ExecutionContext* context, const std::vector<Seat>& seats,
    const std::vector<NodeId>& nodes) const {
  return std::make_unique<PhasedAgent>(planner_, context, seats, nodes);
}

Time PhasedCollectives::LeastDelay(const ExecutionContext& context) const {
  const Time least =
      std::min(planner_.options().endpoint_delay, planner_.options().local_endpoint_delay);
  return messages_ && !MessageDelay(false) ? std::min(least, context.delay.least()) : least;
}

std::optional<Time> PhasedCollectives::MessageDelay(bool until_arrival) const {
  constexpr Time kAtOnce = PicoSeconds(2);
  if (planner_.options().is_logical()) return {};
  return until_arrival ? kAtOnce : planner_.options().endpoint_delay;
}

std::uint64_t PhasedCollectives::CountFlows(PlacedJob* job) const {
  return CountPhasedFlows(planner_, job);
}

std::uint64_t PhasedCollectives::CountOpenMessages(PlacedJob* job) const {
  return CountOpenPhasedMessages(planner_, job);
}

void PhasedCollectives::ForEachTraffic(
    PlacedJob* job, const std::function<void(const PlacedJob::Traffic&)>& visit) const {
  ForEachPhasedTraffic(planner_, job, visit);
}

std::vector<std::string> PhasedCollectives::DescribeDeadlock(
    const ExecutionContext& context, const Graph& graph,
    const std::vector<ChunkStand>& stands) const {
  if (stands.empty()) return {};
  std::map<std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>, PhasePlan> plans;
  const auto plan_of = [&](const CollectiveName& name, NodeId) -> const PhasePlan& {
    const auto [at, is_new] = plans.try_emplace({name.job, name.operation, name.group});
    if (is_new)
      at->second = PlanOfGroup(planner_, context.jobs[name.job].get(), name.operation, name.group);
    return at->second;
  };
  const NodeNames names(graph);
  const std::vector<ChunkStand> cycle = ChunkDeadlock(planner_, plan_of, stands).Cycle();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const ChunkStand& holder = cycle[i];
    if (!holder.begun()) continue;
    const ChunkStand& other = cycle[(i + 1) % cycle.size()];
    lines.push_back(fmt::format("{} has begun phase {} of chunk {} of {}, group {}; {} {}",
                                names.Of(holder.npu), holder.phase + 1, holder.chunk,
                                context.jobs[holder.name.job]->NameOf(holder.name.operation),
                                holder.name.group, names.Of(other.npu),
                                other.begun() ? fmt::format("is in its phase {}", other.phase + 1)
                                              : "has no place for it"));
  }
  return lines;
}

}  // namespace heddle
