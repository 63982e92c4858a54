// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_walk.h"

#include "collectives/pipeline/pipeline_route.h"

namespace heddle {
namespace {

/// What is done so far, by micro-batch and position.
class TasksDone {
 public:
  explicit TasksDone(const PipelineShape& shape)
      : route_(shape),
        forwards_(std::size_t{shape.micro_batches} * route_.positions()),
        gradients_(forwards_.size()) {}

  bool MayStart(std::uint32_t stage, const PipelineTask& task) const {
    const std::uint32_t position = route_.PositionOf(stage, task.chunk);
    const std::size_t at = IndexOf(task.micro_batch, position);
    switch (task.work) {
      case PipelineWork::kForward:
        return position == 0 || forwards_[at - 1];
      case PipelineWork::kBackward:
      case PipelineWork::kInputGradient:
        return forwards_[at] && (position + 1 == route_.positions() || gradients_[at + 1]);
      case PipelineWork::kWeightGradient:
        break;
    }
    return gradients_[at];
  }

  void Note(std::uint32_t stage, const PipelineTask& task) {
    if (task.work == PipelineWork::kWeightGradient) return;
    (task.work == PipelineWork::kForward
         ? forwards_
         : gradients_)[IndexOf(task.micro_batch, route_.PositionOf(stage, task.chunk))] = true;
  }

  /// Appends the stage that may wait for this task.
  void AddWaiting(std::uint32_t stage, const PipelineTask& task,
                  std::vector<std::uint32_t>* stages) const {
    const std::uint32_t position = route_.PositionOf(stage, task.chunk);
    const bool forward = task.work == PipelineWork::kForward;
    if (task.work == PipelineWork::kWeightGradient) return;
    if (forward ? position + 1 == route_.positions() : position == 0) return;
    stages->push_back(route_.StageAt(task.micro_batch, forward ? position + 1 : position - 1));
  }

 private:
  std::size_t IndexOf(std::uint32_t micro_batch, std::uint32_t position) const {
    return std::size_t{micro_batch} * route_.positions() + position;
  }

  PipelineRoute route_;
  std::vector<bool> forwards_, gradients_;
};

std::size_t CountTogether(const std::vector<PipelineTask>& order, std::size_t first) {
  std::size_t count = 1;
  while (order[first + count - 1].with_next && first + count < order.size()) ++count;
  return count;
}

}  // namespace

std::vector<std::size_t> WalkTable(const PipelineTable& table,
                                   const std::function<void(const PipelineStep&)>& visit) {
  TasksDone done(table.shape);
  std::vector<std::size_t> next(table.order.size());
  std::vector<std::uint32_t> to_try;  // a stage whose next tasks may start; one may be here twice
  for (std::uint32_t stage = 0; stage < table.order.size(); ++stage)
    to_try.push_back(static_cast<std::uint32_t>(table.order.size()) - 1 - stage);
  while (!to_try.empty()) {
    PipelineStep step;
    step.stage = to_try.back();
    to_try.pop_back();
    const std::vector<PipelineTask>& order = table.order[step.stage];
    step.first = next[step.stage];
    if (step.first == order.size()) continue;
    step.count = CountTogether(order, step.first);
    bool may_start = true;
    for (std::size_t i = 0; i < step.count; ++i)
      may_start = may_start && done.MayStart(step.stage, order[step.first + i]);
    if (!may_start) continue;
    visit(step);
    next[step.stage] += step.count;
    for (std::size_t i = 0; i < step.count; ++i) {
      done.Note(step.stage, order[step.first + i]);
      done.AddWaiting(step.stage, order[step.first + i], &to_try);
    }
    to_try.push_back(step.stage);
  }
  return next;
}

}  // namespace heddle
