// SPDX-License-Identifier: GPL-2.0-only
/// A pipeline schedule as data: in which order each stage works on micro-batches.
///
/// A stage holds one or more chunks of the model. A micro-batch passes its chunks one after the
/// other, forward, and then in the reverse order, backward. The table has no times: who runs it,
/// with packets or by a closed form, brings them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

enum class PipelineWork : std::uint8_t {
  kForward,
  kBackward,       ///< gradients of inputs and of weights
  kInputGradient,  ///< of a backward in two parts, the first, whose result is sent
  kWeightGradient  ///< the second
};

/// What a stage does with one chunk of one micro-batch.
struct PipelineTask {
  PipelineWork work = PipelineWork::kForward;
  /// It is done together with the next task: both wait for what both receive, and what both send
  /// leaves at the end of the second.
  bool with_next = false;
  std::uint32_t chunk = 0;
  std::uint32_t micro_batch = 0;

  bool operator==(const PipelineTask& other) const {
    return work == other.work && with_next == other.with_next && chunk == other.chunk &&
           micro_batch == other.micro_batch;
  }
};

/// Which stage holds which chunk of the model.
enum class ChunkPlacement : std::uint8_t {
  kLoop,  ///< chunk after chunk, each from the first stage to the last
  kV,     ///< the same, but odd chunks go from the last stage to the first
  /// Two copies of the model: chunk 0 goes from the first stage to the last, chunk 1 from the last
  /// to the first; the first half of the micro-batches, rounded up, takes chunk 0.
  kBothEnds
};

/// All at least 1; `chunks` is 2 for kBothEnds.
struct PipelineShape {
  std::uint32_t stages = 1;
  std::uint32_t micro_batches = 1;
  std::uint32_t chunks = 1;  ///< that a stage holds
  ChunkPlacement placement = ChunkPlacement::kLoop;
};

struct PipelineTable {
  std::string name;  ///< for messages: the word of a schedule, or the name of a file
  PipelineShape shape;
  std::vector<std::vector<PipelineTask>> order;  ///< by stage
};

/// Leaves the forwards, as of inference.
void KeepForwards(PipelineTable* table);

/// Returns "F3", "B3", "I3" or "W3": forward, backward, gradient of inputs, of weights of
/// micro-batch 3; "F3.1" of chunk 1 if a stage has several.
std::string ToText(const PipelineTask& task, const PipelineShape& shape);

}  // namespace heddle
