// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/known_messages.h"

namespace heddle {

bool KnowsMessage(const ExecutionContext& context, const MessageName& name, NodeId source,
                  NodeId destination) {
  if (name.job >= context.jobs.size()) return false;
  PlacedJob& job = *context.jobs[name.job];
  if (!job.Has(name.operation, name.group, name.source) ||
      !job.Has(name.operation, name.group, name.destination))
    return false;
  const GroupShape& shape = job.Shape(job.Op(name.operation).spec.group, name.group);
  const NodeId to = shape.node(name.destination);
  const bool ends = (!source.valid() || shape.node(name.source) == source) &&
                    name.node == to.value && (!destination.valid() || to == destination);
  const Schedule* schedule = job.Collective(name.operation, name.group).schedule.get();
  return ends && schedule != nullptr && schedule->MayHave(name.flow());
}

std::optional<CollectiveCall> CallOfGpu(const ExecutionContext& context,
                                        const std::vector<Seat>& seats, const CollectiveName& name,
                                        NodeId node) {
  if (node.value >= seats.size() || seats[node.value].job != name.job) return {};
  PlacedJob& job = *context.jobs[name.job];
  if (name.operation >= job.operations()) return {};
  const std::uint32_t rank = seats[node.value].rank;
  const std::uint32_t me = job.RankIn(name.operation, rank);
  if (me == GroupShape::kNone || job.GroupOf(name.operation, rank) != name.group) return {};
  Participation part;
  part.operation = name.operation;
  part.group = name.group;
  part.collective = &job.Collective(name.operation, name.group);
  part.me = me;
  return ExecutionContext::CallOf(job, part, Time{0});
}

std::optional<CollectiveCall> CallOfFirst(const ExecutionContext& context,
                                          const CollectiveName& name) {
  if (name.job >= context.jobs.size()) return {};
  PlacedJob& job = *context.jobs[name.job];
  if (!job.Has(name.operation, name.group, 0)) return {};
  Participation part;
  part.operation = name.operation;
  part.group = name.group;
  part.collective = &job.Collective(name.operation, name.group);
  return ExecutionContext::CallOf(job, part, Time{0});
}

}  // namespace heddle
