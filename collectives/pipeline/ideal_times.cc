// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/ideal_times.h"

#include <algorithm>
#include <cstddef>

#include "collectives/pipeline/pipeline_route.h"
#include "collectives/pipeline/pipeline_walk.h"

namespace heddle {
namespace {

class IdealStages {
 public:
  IdealStages(const PipelineTable& table, const PipelineTimes& times)
      : table_(table),
        times_(times),
        route_(table.shape),
        forwards_(std::size_t{table.shape.micro_batches} * route_.positions()),
        gradients_(forwards_.size()) {
    run_.ends.resize(table.order.size());
    run_.busy.resize(table.order.size());
  }

  void Do(const PipelineStep& step) {
    double& now = run_.ends[step.stage];
    double takes = 0;
    for (std::size_t i = 0; i < step.count; ++i) {
      const PipelineTask& task = TaskOf(step, i);
      now = std::max(now, ReadyAt(step.stage, task));
      takes += times_.task(step.stage, task);
    }
    if (step.count > 1) takes *= times_.pair_share;
    run_.busy[step.stage] += takes;
    now += takes;
    for (std::size_t i = 0; times_.done != nullptr && i < step.count; ++i)
      times_.done(step.stage, TaskOf(step, i), now - takes, now);
    const double end = now;
    bool sends = false;
    for (std::size_t i = 0; i < step.count; ++i)
      sends = Send(step.stage, TaskOf(step, i), end) || sends;
    if (sends) now += times_.held;
  }

  IdealRun Take() {
    run_.total = *std::max_element(run_.ends.begin(), run_.ends.end());
    return std::move(run_);
  }

 private:
  const PipelineTask& TaskOf(const PipelineStep& step, std::size_t i) const {
    return table_.order[step.stage][step.first + i];
  }

  std::size_t IndexOf(std::uint32_t stage, const PipelineTask& task) const {
    return std::size_t{task.micro_batch} * route_.positions() +
           route_.PositionOf(stage, task.chunk);
  }

  /// When what the task receives is there.
  double ReadyAt(std::uint32_t stage, const PipelineTask& task) const {
    const std::uint32_t position = route_.PositionOf(stage, task.chunk);
    const std::size_t at = IndexOf(stage, task);
    if (task.work == PipelineWork::kForward) return position == 0 ? 0 : forwards_[at - 1];
    const bool last = position + 1 == route_.positions();
    return task.work == PipelineWork::kWeightGradient || last ? 0 : gradients_[at + 1];
  }

  /// Notes when the task's result is where it is needed. Returns whether a message is sent.
  bool Send(std::uint32_t stage, const PipelineTask& task, double end) {
    if (task.work == PipelineWork::kWeightGradient) return false;
    const std::uint32_t position = route_.PositionOf(stage, task.chunk);
    const bool forward = task.work == PipelineWork::kForward;
    const bool ends = forward ? position + 1 == route_.positions() : position == 0;
    const bool sends =
        !ends && route_.SendsAfter(task.micro_batch, forward ? position : position - 1);
    (forward ? forwards_ : gradients_)[IndexOf(stage, task)] = end + (sends ? times_.message : 0);
    if (sends) ++run_.messages;
    return sends;
  }

  const PipelineTable& table_;
  const PipelineTimes& times_;
  PipelineRoute route_;
  std::vector<double> forwards_, gradients_;  ///< by micro-batch and position: when they are there
  IdealRun run_;
};

}  // namespace

IdealRun RunIdeally(const PipelineTable& table, const PipelineTimes& times) {
  IdealStages stages(table, times);
  WalkTable(table, [&](const PipelineStep& step) { stages.Do(step); });
  return stages.Take();
}

}  // namespace heddle
