// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/step_summary.h"

namespace heddle {
namespace {

/// Bytes that each of `ranks` GPUs sends for one byte of the buffer.
double SentShare(Operation operation, double ranks) {
  switch (operation) {
    case Operation::kNone:
      return 0;
    case Operation::kAllReduce:
      return 2 * (ranks - 1) / ranks;
    case Operation::kSendRecv:
      return 1;
    default:
      return (ranks - 1) / ranks;
  }
}

}  // namespace

StepSummary Summarize(const Workload& workload, const ParallelPlan& plan) {
  StepSummary longest = Summarize(workload, plan, PipelinePart::kFirst);
  for (const PipelinePart part : {PipelinePart::kMiddle, PipelinePart::kLast}) {
    if (part == PipelinePart::kMiddle && plan.pipeline <= 2) continue;
    StepSummary summary = Summarize(workload, plan, part);
    if (summary.compute_seconds > longest.compute_seconds) longest = summary;
  }
  return longest;
}

StepSummary Summarize(const Workload& workload, const ParallelPlan& plan, PipelinePart part) {
  StepSummary summary;
  const auto add = [&](const LayerPhase& phase) {
    summary.compute_seconds += phase.compute.seconds();
    if (phase.operation == Operation::kNone || phase.bytes == 0) return;
    GroupTraffic& traffic = summary.groups[static_cast<std::size_t>(phase.group)];
    const double bytes = static_cast<double>(phase.bytes);
    ++traffic.collectives;
    traffic.buffer_bytes += bytes;
    traffic.sent_bytes +=
        bytes * SentShare(phase.operation, static_cast<double>(plan.SizeOf(phase.group)));
  };
  const auto gather = [&](GroupType group, std::int64_t bytes, bool once) {
    LayerPhase phase;
    phase.operation = Operation::kAllGather;
    phase.group = group;
    phase.bytes = bytes;
    add(phase);
    if (!once) add(phase);  // backward
  };
  for (const Layer& layer : workload.layers) {
    if (!layer.place.has(part)) continue;
    add(layer.forward);
    add(layer.input_gradient);
    add(layer.weight_gradient);
    gather(GroupType::kData, layer.gathered.common, layer.gathered.kept);
    gather(GroupType::kDataExpert, layer.gathered.experts, layer.gathered.kept);
  }
  summary.lines = static_cast<std::int64_t>(workload.layers.size());
  if (plan.pipeline > 1) {
    GroupTraffic& stages = summary.groups[static_cast<std::size_t>(GroupType::kPipeline)];
    stages.collectives = (plan.pipeline > 2 ? 2 : 1) * plan.micro_batches();
    stages.buffer_bytes = stages.sent_bytes =
        static_cast<double>(stages.collectives) * static_cast<double>(workload.pipeline_bytes);
  }
  return summary;
}

}  // namespace heddle
