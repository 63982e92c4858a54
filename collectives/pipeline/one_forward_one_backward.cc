// SPDX-License-Identifier: GPL-2.0-only
/// 1F1B: stage s of p first runs p - 1 - s forwards, then one forward and one backward in turn,
/// then the remaining backwards. It holds the activations of p - s micro-batches at most.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC 2021, 2.2; Megatron-LM, forward_backward_pipelining_without_interleaving.
#include <algorithm>

#include "collectives/pipeline/make_table.h"
#include "collectives/pipeline/schedule_row.h"

namespace heddle {
namespace {

PipelineTable MakeOneForwardOneBackward(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, 1, ChunkPlacement::kLoop};
  for (std::uint32_t stage = 0; stage < request.stages; ++stage) {
    std::vector<PipelineTask>& order = table.order.emplace_back();
    const auto add = [&](PipelineWork work, std::uint32_t micro_batch) {
      order.push_back({work, false, 0, micro_batch});
    };
    const std::uint32_t ahead = std::min(request.stages - 1 - stage, request.micro_batches);
    for (std::uint32_t m = 0; m < ahead; ++m) add(PipelineWork::kForward, m);
    for (std::uint32_t m = ahead; m < request.micro_batches; ++m) {
      add(PipelineWork::kForward, m);
      add(PipelineWork::kBackward, m - ahead);
    }
    for (std::uint32_t m = request.micro_batches - ahead; m < request.micro_batches; ++m)
      add(PipelineWork::kBackward, m);
  }
  return table;
}

}  // namespace

ScheduleRow OneForwardOneBackward() {
  return {"1f1b", "one forward, one backward", false, MakeOneForwardOneBackward, nullptr};
}

/// As Megatron-LM without pipeline parallelism does, where experts' exchanges overlap (combined
/// 1F1B).
PipelineTable OneStageInPairs(std::uint32_t micro_batches) {
  PipelineTable table;
  table.name = "one stage, in pairs";
  table.shape = {1, micro_batches, 1, ChunkPlacement::kLoop};
  std::vector<PipelineTask>& order = table.order.emplace_back();
  order.push_back({PipelineWork::kForward, false, 0, 0});
  for (std::uint32_t m = 0; m < micro_batches; ++m) {
    const bool last = m + 1 == micro_batches;
    order.push_back({PipelineWork::kBackward, !last, 0, m});
    if (!last) order.push_back({PipelineWork::kForward, false, 0, m + 1});
  }
  return table;
}

}  // namespace heddle
