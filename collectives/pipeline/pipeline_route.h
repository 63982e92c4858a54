// SPDX-License-Identifier: GPL-2.0-only
/// Where a micro-batch goes: the stages and chunks that it passes, in the order of its forward.
///
/// Positions count from 0 along a micro-batch's forward; messages are sent between positions that
/// follow each other, unless both are on one stage.
#pragma once

#include <cstdint>

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Arithmetic only. The shape is copied.
class PipelineRoute {
 public:
  explicit PipelineRoute(const PipelineShape& shape) : shape_(shape) {}

  /// Counts the positions of a micro-batch.
  std::uint32_t positions() const { return shape_.stages * layer_parts(); }
  /// Counts the parts into which a stage's layers are cut: each chunk is one, but for kBothEnds,
  /// whose chunks are whole stages.
  std::uint32_t layer_parts() const {
    return shape_.placement == ChunkPlacement::kBothEnds ? 1 : shape_.chunks;
  }
  /// Returns the stage of a micro-batch's position.
  std::uint32_t StageAt(std::uint32_t micro_batch, std::uint32_t position) const;
  /// Returns the position of a stage's chunk.
  std::uint32_t PositionOf(std::uint32_t stage, std::uint32_t chunk) const;
  /// Whether a micro-batch passes this chunk.
  bool Passes(std::uint32_t micro_batch, std::uint32_t chunk) const {
    return shape_.placement != ChunkPlacement::kBothEnds || chunk == EndOf(micro_batch);
  }
  /// Returns the part of a stage's layers that is a chunk's: below layer_parts().
  std::uint32_t PartOf(std::uint32_t chunk) const {
    return shape_.placement == ChunkPlacement::kBothEnds ? 0 : chunk;
  }
  /// Whether a message is sent between `position` and the next one, which must be there.
  bool SendsAfter(std::uint32_t micro_batch, std::uint32_t position) const {
    return StageAt(micro_batch, position) != StageAt(micro_batch, position + 1);
  }

 private:
  /// Returns the chunk, 0 or 1, that a micro-batch passes with kBothEnds.
  std::uint32_t EndOf(std::uint32_t micro_batch) const {
    return micro_batch < shape_.micro_batches - shape_.micro_batches / 2 ? 0 : 1;
  }

  PipelineShape shape_;
};

}  // namespace heddle
