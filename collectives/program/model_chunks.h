// SPDX-License-Identifier: GPL-2.0-only
/// Which lines of a micro-batch belong to which chunk of the model, where a stage holds several.
///
/// A stage's layers are cut evenly, whole layers together. An `embedding_layer` at the beginning of
/// a micro-batch is of the first chunk; an `embedding_norm` at its end, or the output layer and the
/// loss that `heddle workload` writes (`final_...`, `loss_...`), are of the last. They are left out
/// of the count. The number of layers is the header's `vpp` if it is above 1 and divides the
/// lines (AICB writes the layers of a stage there), else each line is one.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/program/micro_batches.h"
#include "core/traffic/workload.h"

namespace heddle {

/// By micro-batch and chunk. Throws UserError with file and line if `chunks` does not divide the
/// layers of a micro-batch, with the nearest number that does.
std::vector<std::vector<LayerRange>> CutIntoChunks(const Workload& workload,
                                                   const MicroBatches& parts, std::uint32_t chunks);

}  // namespace heddle
