// SPDX-License-Identifier: GPL-2.0-only
/// ZB-H1: 1F1B whose backward is in two parts. The gradients of weights wait for no message and
/// fill the idle times at the end: they lag those of inputs by s micro-batches on stage s while
/// forwards are left, then one follows each gradient of inputs, and the rest come last. No more
/// activations are held than by 1F1B.
///
/// Source: P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, 2.2.
#include <algorithm>

#include "collectives/pipeline/schedule_row.h"

namespace heddle {
namespace {

/// The tasks of one stage, in order.
class ZeroBubbleOrder {
 public:
  void Forward(std::uint32_t micro_batch) {
    tasks_.push_back({PipelineWork::kForward, false, 0, micro_batch});
  }
  /// Adds the next gradient of inputs, and one of weights if these then lag by more than `lag`.
  void InputGradient(std::uint32_t lag) {
    tasks_.push_back({PipelineWork::kInputGradient, false, 0, inputs_++});
    if (inputs_ - weights_ > lag) WeightGradient();
  }
  /// Adds the gradients of weights that are left.
  void Rest() {
    while (weights_ < inputs_) WeightGradient();
  }
  std::vector<PipelineTask> Take() { return std::move(tasks_); }

 private:
  void WeightGradient() { tasks_.push_back({PipelineWork::kWeightGradient, false, 0, weights_++}); }

  std::vector<PipelineTask> tasks_;
  std::uint32_t inputs_ = 0, weights_ = 0;
};

PipelineTable MakeZeroBubbleH1(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, 1, ChunkPlacement::kLoop};
  for (std::uint32_t stage = 0; stage < request.stages; ++stage) {
    ZeroBubbleOrder order;
    const std::uint32_t ahead = std::min(request.stages - 1 - stage, request.micro_batches);
    for (std::uint32_t m = 0; m < ahead; ++m) order.Forward(m);
    for (std::uint32_t m = ahead; m < request.micro_batches; ++m) {
      order.Forward(m);
      order.InputGradient(stage);
    }
    for (std::uint32_t i = 0; i < ahead; ++i) order.InputGradient(0);
    order.Rest();
    table.order.push_back(order.Take());
  }
  return table;
}

}  // namespace

ScheduleRow ZeroBubbleH1() {
  return {"zb-h1", "1F1B with the gradients of weights in its idle times", false, MakeZeroBubbleH1,
          nullptr};
}

}  // namespace heddle
