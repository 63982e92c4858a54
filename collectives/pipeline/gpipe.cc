// SPDX-License-Identifier: GPL-2.0-only
/// GPipe: each stage runs all forwards, then all backwards, the last micro-batch first. It holds
/// the activations of all micro-batches.
///
/// Source: Y. Huang et al., "GPipe: Efficient Training of Giant Neural Networks using Pipeline
/// Parallelism", NeurIPS 2019, figure 2.
#include "collectives/pipeline/schedule_row.h"

namespace heddle {
namespace {

PipelineTable MakeGPipe(const ScheduleRequest& request) {
  PipelineTable table;
  table.shape = {request.stages, request.micro_batches, 1, ChunkPlacement::kLoop};
  std::vector<PipelineTask> order;
  for (std::uint32_t m = 0; m < request.micro_batches; ++m)
    order.push_back({PipelineWork::kForward, false, 0, m});
  for (std::uint32_t m = request.micro_batches; m-- > 0;)
    order.push_back({PipelineWork::kBackward, false, 0, m});
  table.order.assign(request.stages, order);
  return table;
}

}  // namespace

ScheduleRow GPipe() {
  return {"gpipe", "all forwards, then all backwards", false, MakeGPipe, nullptr};
}

}  // namespace heddle
