// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/coordinator/phased_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heddle {

namespace {

/// Visits the plan of each group in which the job has this operation.
void ForEachGroup(const PhasePlanner& planner, PlacedJob* job, std::uint32_t operation,
                  const std::function<void(const GroupShape&, const PhasePlan&)>& visit) {
  const ProgramOp& op = job->Op(operation);
  if (IsBetweenTwo(op.spec)) return;
  const JobGroups::Range groups = job->GroupsOf(operation);
  for (std::uint32_t group = groups.first; group < groups.end(); ++group)
    visit(job->Shape(op.spec.group, group), PlanOfGroup(planner, job, operation, group));
}

/// Each message of a chunk, so many times in all passes. `chunk`: of trees, which of the two.
void VisitEach(const PhasePlanner& planner, const PlannedPhase& phase, NodeId npu,
               std::uint32_t chunk, std::uint64_t times,
               const std::function<void(const PlacedJob::Traffic&)>& visit) {
  for (std::uint32_t number = 0; times > 0 && number < phase.steps.messages; ++number) {
    if (phase.steps.DistanceOf(number, planner.PlaceOf(npu, phase, chunk)) == 0) continue;
    visit({npu, planner.To(npu, phase, number, chunk, true), phase.BytesOf(number), times});
  }
}

/// Counts the messages of a member that are in flight at once, if its chunks fill the lanes of all
/// phases.
std::uint64_t CountOpen(const PhasePlan& plan, std::int64_t per_lane) {
  const auto chunks = static_cast<std::uint64_t>(plan.chunks);
  std::uint64_t sum = 0, widest = 0;
  for (const PlannedPhase& phase : plan.phases) {
    const std::uint64_t at_once =
        phase.steps.shape == LineSteps::Shape::kDirect ? phase.steps.members - 1 : 1;
    const std::uint64_t places =
        per_lane == 0 ? chunks : static_cast<std::uint64_t>(per_lane) * phase.lanes;
    sum += std::min(chunks, places) * at_once;
    widest = std::max(widest, at_once);
  }
  return std::min(sum, chunks * widest);
}

}  // namespace

PhasePlan PlanOfGroup(const PhasePlanner& planner, PlacedJob* job, std::uint32_t operation,
                      std::uint32_t group) {
  const CollectiveSpec& spec = job->Op(operation).spec;
  const GroupShape& shape = job->Shape(spec.group, group);
  const std::uint32_t dimensions = planner.DimensionsOf(
      shape.gpus(), shape.ranks(),
      fmt::format("job {}, group {} of {}", job->index(), group, ToText(spec.group)));
  return planner.Plan(spec.operation, spec.bytes, dimensions);
}

std::uint64_t CountPhasedFlows(const PhasePlanner& planner, PlacedJob* job) {
  std::uint64_t sum = 0;
  for (std::uint32_t op = 0; op < job->job().program.ops.size(); ++op) {
    if (IsBetweenTwo(job->Op(op).spec)) sum += job->GroupsOf(op).count;
    ForEachGroup(planner, job, op, [&](const GroupShape& shape, const PhasePlan& plan) {
      sum += plan.MessagesOf(shape.ranks());
    });
  }
  return sum * job->job().program.passes;
}

void ForEachPhasedTraffic(const PhasePlanner& planner, PlacedJob* job,
                          const std::function<void(const PlacedJob::Traffic&)>& visit) {
  const auto add = [&](const GroupShape& shape, const PhasePlan& plan, const PlannedPhase& phase) {
    const auto times = static_cast<std::uint64_t>(plan.chunks) * job->job().program.passes;
    const bool ring = phase.steps.shape == LineSteps::Shape::kRing;
    const std::uint32_t kinds = ring ? 1 : phase.steps.members - 1;
    for (std::uint32_t rank = 0; rank < shape.ranks(); ++rank) {
      const NodeId npu = shape.gpus()[rank];
      if (phase.steps.names_peers()) {
        const bool trees = phase.steps.shape == LineSteps::Shape::kTrees;
        const std::uint64_t odd =
            trees ? static_cast<std::uint64_t>(plan.chunks) / 2 * job->job().program.passes : 0;
        VisitEach(planner, phase, npu, 0, times - odd, visit);
        VisitEach(planner, phase, npu, 1, odd, visit);
        continue;
      }
      for (std::uint32_t kind = 0; kind < kinds; ++kind) {
        visit({npu, planner.Along(npu, phase, kind + 1, true), phase.message,
               times * phase.steps.messages / kinds});
      }
    }
  };
  for (std::uint32_t op = 0; op < job->job().program.ops.size(); ++op) {
    ForEachGroup(planner, job, op, [&](const GroupShape& shape, const PhasePlan& plan) {
      for (const PlannedPhase& phase : plan.phases) add(shape, plan, phase);
    });
    const CollectiveSpec& spec = job->Op(op).spec;
    if (!IsBetweenTwo(spec)) continue;
    const JobGroups::Range groups = job->GroupsOf(op);
    for (std::uint32_t group = groups.first; group < groups.end(); ++group) {
      const GroupShape& shape = job->Shape(spec.group, group);
      visit({shape.node(spec.root), shape.node(spec.peer), spec.bytes, job->job().program.passes});
    }
  }
}

std::uint64_t CountOpenPhasedMessages(const PhasePlanner& planner, PlacedJob* job) {
  std::array<std::uint64_t, kGroupTypes + 1> most = {};
  for (std::uint32_t op = 0; op < job->job().program.ops.size(); ++op) {
    std::uint64_t messages = 0;
    ForEachGroup(planner, job, op, [&](const GroupShape& shape, const PhasePlan& plan) {
      messages += shape.ranks() * CountOpen(plan, planner.options().per_lane);
    });
    std::uint64_t& of_type = most[static_cast<std::size_t>(job->Op(op).spec.group)];
    of_type = std::max(of_type, messages);
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t messages : most) sum += messages;
  return sum;
}

}  // namespace heddle
