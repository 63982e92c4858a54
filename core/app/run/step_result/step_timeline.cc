// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/step_result/step_timeline.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heddle {
namespace {

Time TimeOf(double seconds) { return Time{std::llround(seconds * 1e12)}; }

class Writer {
 public:
  Writer(const Workload& workload, const ParallelGroups& groups, const PredictedStep& step,
         NodeId gpu)
      : workload_(workload), groups_(groups), step_(step), gpu_(gpu) {}

  StepTimeline Write() {
    const std::size_t rows = step_.rows.size();
    line_.layers.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      line_.layers[i].gpu = gpu_;
      line_.layers[i].layer = static_cast<std::uint32_t>(i);
      Play(i, Phase::kForward, workload_.layers[i].forward, step_.rows[i].forward);
    }
    for (std::size_t i = rows; i-- > 0;) {
      Repeat(i);
      Play(i, Phase::kInputGradient, workload_.layers[i].input_gradient,
           step_.rows[i].input_gradient);
      Play(i, Phase::kWeightGradient, workload_.layers[i].weight_gradient,
           step_.rows[i].weight_gradient);
    }
    WriteStages();
    std::stable_sort(line_.steps.begin(), line_.steps.end(),
                     [](const StepRecord& a, const StepRecord& b) {
                       return std::tie(a.start.ps, a.end.ps, a.kind, a.operation) <
                              std::tie(b.start.ps, b.end.ps, b.kind, b.operation);
                     });
    return std::move(line_);
  }

 private:
  void Play(std::size_t row, Phase phase, const LayerPhase& what, const PhaseTime& time) {
    LayerRecord& layer = line_.layers[row];
    const auto at = static_cast<std::size_t>(phase);
    layer.compute[at] += Compute(row, phase, time.computing);
    if (time.price.seconds <= 0) return;
    const Time exposed = TimeOf(time.exposed);
    layer.exposed[at] += exposed;
    layer.total[at] += TimeOf(time.price.seconds);
    Communicate(row, phase, what, time.price, TimeOf(time.price.seconds - time.exposed));
    now_ += exposed;
  }

  /// The forward of a checkpointed layer, once more.
  void Repeat(std::size_t row) {
    const RowTime& time = step_.rows[row];
    if (time.again <= 0) return;
    LayerRecord& layer = line_.layers[row];
    const auto at = static_cast<std::size_t>(Phase::kForward);
    layer.compute[at] += Compute(row, Phase::kForward, time.again - time.again_exposed);
    layer.exposed[at] += TimeOf(time.again_exposed);
    now_ += TimeOf(time.again_exposed);
  }

  Time Compute(std::size_t row, Phase phase, double seconds) {
    const Time time = TimeOf(seconds);
    if (time.ps == 0) return time;
    StepRecord record;
    record.gpu = gpu_;
    record.layer = static_cast<std::uint32_t>(row);
    record.phase = phase;
    record.start = now_;
    now_ += time;
    record.end = now_;
    line_.steps.push_back(record);
    return time;
  }

  /// Begins so much before now as is hidden, but not before the step.
  void Communicate(std::size_t row, Phase phase, const LayerPhase& what,
                   const CollectivePrice& price, Time hidden) {
    ProgramOp op;
    op.spec.operation = what.operation;
    op.spec.group = what.group;
    op.spec.bytes = what.bytes;
    op.phase = phase;
    op.layer = static_cast<std::uint32_t>(row);
    if (what.group == GroupType::kPipeline) op.spec.peer = 1;
    CollectivePart part;
    part.operation = static_cast<std::uint32_t>(line_.ops.size());
    part.start = part.sent = std::max(now_ - hidden, Time{0});
    part.end = part.arrived = part.start + TimeOf(price.seconds);
    part.finished = IsBetweenTwo(op.spec) ? 2 : groups_.size(what.group);
    part.algorithm = price.algorithm;
    part.protocol = price.protocol;
    StepRecord record;
    record.gpu = gpu_;
    record.layer = op.layer;
    record.phase = phase;
    record.kind = StepRecord::Kind::kCommunicate;
    record.operation = part.operation;
    record.start = part.start;
    record.end = part.end;
    line_.ops.push_back(op);
    line_.parts.push_back(part);
    line_.steps.push_back(record);
  }

  /// All that is left of the step is waiting for other stages.
  void WriteStages() {
    line_.end = std::max(now_, TimeOf(step_.total));
    for (const CollectivePart& part : line_.parts) line_.end = std::max(line_.end, part.end);
    if (line_.layers.empty()) return;
    if (step_.stage_message.seconds > 0) {
      const LayerPhase message{
          {}, Operation::kSendRecv, GroupType::kPipeline, workload_.pipeline_bytes};
      const std::size_t last = line_.layers.size() - 1;
      Communicate(last, Phase::kForward, message, step_.stage_message, Time{0});
      line_.end = std::max(line_.end, line_.parts.back().end);
    }
    line_.layers.back().pipeline = std::max(line_.end - now_, Time{0});
  }

  const Workload& workload_;
  const ParallelGroups& groups_;
  const PredictedStep& step_;
  NodeId gpu_;
  Time now_;
  StepTimeline line_;
};

}  // namespace

StepTimeline TimelineOf(const Workload& workload, const ParallelGroups& groups,
                        const PredictedStep& step, NodeId gpu) {
  return Writer(workload, groups, step, gpu).Write();
}

}  // namespace heddle
