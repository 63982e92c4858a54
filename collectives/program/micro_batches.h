// SPDX-License-Identifier: GPL-2.0-only
/// Which lines of a pipeline stage's workload belong to which micro-batch.
///
/// Source: AICB (its generator of SimAI training workloads) writes the step's data parallel items,
/// then `ga` times the layers of one stage, each time from an `embedding_layer` on, then
/// `cross_entropy*` and `optimizer*`. The lines before the first and after the last micro-batch
/// belong to none.
#pragma once

#include <cstdint>
#include <vector>

#include "core/traffic/workload.h"

namespace heddle {

/// Indices of layers, `end` excluded.
struct LayerRange {
  std::uint32_t begin = 0, end = 0;
};

/// The parts of a pass, in the file's order. Every layer is in one of them.
struct MicroBatches {
  LayerRange before;  ///< once, before the first micro-batch
  std::vector<LayerRange> batches;
  LayerRange after;  ///< once, after the last one
};

/// Returns one micro-batch with all layers.
MicroBatches OneMicroBatch(const Workload& workload);

/// Cuts the layers into `ga` micro-batches: each from an `embedding_layer` to the next. Without any
/// layer of that name, micro-batch m of L layers has those from m*L/ga to (m+1)*L/ga - 1, rounded
/// down. Throws UserError with file and line if there are `embedding_layer`s and not `ga` of them,
/// and if there are fewer layers than micro-batches.
MicroBatches CutIntoMicroBatches(const Workload& workload);

/// Whether CutIntoMicroBatches() has to divide the layers evenly.
bool HasNoMarkedMicroBatches(const Workload& workload);

}  // namespace heddle
