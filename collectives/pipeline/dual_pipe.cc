// SPDX-License-Identifier: GPL-2.0-only
/// DualPipe: micro-batches enter at both ends of the pipeline, so each stage holds the model's
/// parts of two; in its steady part the forward of one direction is done together with a backward
/// of the other. DualPipeV is the half of it: a stage holds the parts s and 2 p - 1 - s of 2 p, and
/// micro-batches enter at the first stage.
///
/// The order is that of a stage with h stages behind it towards its nearer end (DualPipeV: towards
/// the first stage), of H in all, and n micro-batches in each direction. Direction 0 is the one
/// that enters at the nearer end.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437, 3.2.1, and the steps of
/// DualPipe's code (github.com/deepseek-ai/DualPipe).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>

#include "collectives/pipeline/schedule_row.h"

namespace heddle {
namespace {

/// Chunk and first micro-batch of each direction.
struct DualDirection {
  std::uint32_t chunk = 0, first = 0;
};

/// The tasks of one stage.
class DualOrder {
 public:
  DualOrder(DualDirection near, DualDirection far) : directions_{near, far} {}

  void Forward(int direction) { tasks_.push_back(NextForward(direction)); }
  void Backward(int direction) { tasks_.push_back(NextBackward(direction)); }
  /// Adds a backward without the gradient of weights, which Weight() adds later.
  void InputGradient(int direction) {
    PipelineTask task = NextBackward(direction);
    task.work = PipelineWork::kInputGradient;
    tasks_.push_back(task);
    task.work = PipelineWork::kWeightGradient;
    weights_.push_back(task);
  }
  /// Adds the oldest gradient of weights that is left.
  void Weight() {
    tasks_.push_back(weights_.front());
    weights_.pop_front();
  }
  /// Adds a forward of one direction together with a backward of the other.
  void Pair(int forward) {
    Forward(forward);
    tasks_.back().with_next = true;
    Backward(1 - forward);
  }
  std::vector<PipelineTask> Take() { return std::move(tasks_); }

 private:
  PipelineTask NextForward(int direction) {
    return {PipelineWork::kForward, false, directions_[direction].chunk,
            directions_[direction].first + forwards_[direction]++};
  }
  PipelineTask NextBackward(int direction) {
    return {PipelineWork::kBackward, false, directions_[direction].chunk,
            directions_[direction].first + backwards_[direction]++};
  }

  DualDirection directions_[2];
  std::uint32_t forwards_[2] = {}, backwards_[2] = {};
  std::vector<PipelineTask> tasks_;
  std::deque<PipelineTask> weights_;
};

/// `behind`: of `all` stages of this half; `each`: micro-batches of a direction, 2 x all or more.
void AddDualSteps(std::uint32_t behind, std::uint32_t all, std::uint32_t each, DualOrder* order) {
  const std::uint32_t before = all - behind - 1;
  const bool in_the_middle = before == 0;
  for (std::uint32_t i = 0; i < 2 * before; ++i) order->Forward(0);
  for (std::uint32_t i = 0; i < behind + 1; ++i) {
    order->Forward(0);
    order->Forward(1);
  }
  for (std::uint32_t i = 0; i < before; ++i) {
    order->InputGradient(1);
    order->Weight();
    order->Forward(1);
  }
  for (std::uint32_t i = 0; i < each - 2 * all + behind + 1; ++i) {
    if (i == 0 && in_the_middle) {
      order->Forward(0);
      order->Backward(1);
    } else {
      order->Pair(0);
    }
    order->Pair(1);
  }
  for (std::uint32_t i = 0; i < before; ++i) {
    order->Backward(1);
    order->Pair(1);
  }
  // Of the last backwards, those of the second half leave the gradients of weights for later.
  for (std::uint32_t i = 0; i < 2 * (behind + 1); ++i) {
    const int direction = i % 2 == 0 ? 1 : 0;
    i < behind + 1 ? order->Backward(direction) : order->InputGradient(direction);
  }
  for (std::uint32_t i = 0; i < before; ++i) {
    order->Weight();
    order->InputGradient(0);
  }
  for (std::uint32_t i = 0; i < behind + 1; ++i) order->Weight();
}

PipelineTable MakeDualPipe(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, 2, ChunkPlacement::kBothEnds};
  const std::uint32_t half = request.micro_batches / 2;
  for (std::uint32_t stage = 0; stage < request.stages; ++stage) {
    const std::uint32_t reversed = request.stages - 1 - stage;
    const bool near_first = stage < reversed;
    DualOrder order(near_first ? DualDirection{0, 0} : DualDirection{1, half},
                    near_first ? DualDirection{1, half} : DualDirection{0, 0});
    AddDualSteps(std::min(stage, reversed), request.stages / 2, half, &order);
    table.order.push_back(order.Take());
  }
  return table;
}

PipelineTable MakeDualPipeV(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, 2, ChunkPlacement::kV};
  for (std::uint32_t stage = 0; stage < request.stages; ++stage) {
    DualOrder order({0, 0}, {1, 0});
    AddDualSteps(stage, request.stages, request.micro_batches, &order);
    table.order.push_back(order.Take());
  }
  return table;
}

std::string RefuseDualPipe(const ScheduleRequest& request) {
  if (request.stages % 2 != 0)
    return fmt::format(
        "{} pipeline stages (pp). Expected: an even number, such as {}, as micro-batches "
        "enter at both ends",
        request.stages, request.stages + 1);
  if (request.micro_batches % 2 == 0 && request.micro_batches >= 2 * request.stages) return {};
  return fmt::format(
      "{} micro-batches (ga) on {} pipeline stages (pp). Expected: an even number from {} on, such "
      "as {}",
      request.micro_batches, request.stages, 2 * request.stages,
      std::max(request.micro_batches + request.micro_batches % 2, 2 * request.stages));
}

std::string RefuseDualPipeV(const ScheduleRequest& request) {
  if (request.micro_batches >= 2 * request.stages) return {};
  return fmt::format("{} micro-batches (ga) on {} pipeline stages (pp). Expected: {} or more",
                     request.micro_batches, request.stages, 2 * request.stages);
}

}  // namespace

ScheduleRow DualPipe() {
  return {"dualpipe",     "DeepSeek's, from both ends, each stage with the parameters of two",
          false,          MakeDualPipe,
          RefuseDualPipe, /*in_pairs=*/true};
}

ScheduleRow DualPipeV() {
  return {"dualpipev",     "a half of DualPipe: two chunks of the model on a stage, in a V",
          false,           MakeDualPipeV,
          RefuseDualPipeV, /*in_pairs=*/true};
}

}  // namespace heddle
