// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/execution/phased_port.h"

#include <fmt/format.h>

namespace heddle {

namespace {

PhasePlan PlanOf(const PhasePlanner& planner, PlacedJob* job, const ProgramOp& op) {
  const GroupShape& shape = job->Shape(op.spec.group, 0);
  const std::uint32_t dimensions = planner.DimensionsOf(
      shape.gpus(), shape.ranks(),
      fmt::format("job {}, groups of {}", job->index(), ToText(op.spec.group)));
  return planner.Plan(op.spec.operation, op.spec.bytes, dimensions);
}

}  // namespace

std::uint64_t CountPhasedFlows(const PhasePlanner& planner, PlacedJob* job) {
  std::uint64_t sum = 0;
  for (const ProgramOp& op : job->job().program.ops)
    sum +=
        static_cast<std::uint64_t>(PlanOf(planner, job, op).messages()) * job->job().groups.ranks();
  return sum * job->job().program.passes;
}

void ForEachPhasedTraffic(const PhasePlanner& planner, PlacedJob* job,
                          const std::function<void(const PlacedJob::Traffic&)>& visit) {
  for (const ProgramOp& op : job->job().program.ops) {
    const PhasePlan plan = PlanOf(planner, job, op);
    const auto times = static_cast<std::uint64_t>(plan.chunks) * job->job().program.passes;
    for (const PlannedPhase& phase : plan.phases) {
      const bool ring = phase.steps.shape == LineSteps::Shape::kRing;
      const std::uint32_t kinds = ring ? 1 : phase.steps.members - 1;
      for (const NodeId npu : job->job().gpus) {
        for (std::uint32_t kind = 0; kind < kinds; ++kind) {
          visit({npu, planner.Along(npu, phase.dimension, kind + 1, true), phase.message,
                 times * phase.steps.messages / kinds});
        }
      }
    }
  }
}

}  // namespace heddle
