// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_route.h"

namespace heddle {

std::uint32_t PipelineRoute::StageAt(std::uint32_t micro_batch, std::uint32_t position) const {
  const std::uint32_t last = shape_.stages - 1;
  const std::uint32_t along = position % shape_.stages;
  switch (shape_.placement) {
    case ChunkPlacement::kLoop:
      return along;
    case ChunkPlacement::kV:
      return position / shape_.stages % 2 == 0 ? along : last - along;
    case ChunkPlacement::kBothEnds:
      break;
  }
  return EndOf(micro_batch) == 0 ? along : last - along;
}

std::uint32_t PipelineRoute::PositionOf(std::uint32_t stage, std::uint32_t chunk) const {
  const std::uint32_t reversed = shape_.stages - 1 - stage;
  switch (shape_.placement) {
    case ChunkPlacement::kLoop:
      return chunk * shape_.stages + stage;
    case ChunkPlacement::kV:
      return chunk * shape_.stages + (chunk % 2 == 0 ? stage : reversed);
    case ChunkPlacement::kBothEnds:
      break;
  }
  return chunk == 0 ? stage : reversed;
}

}  // namespace heddle
