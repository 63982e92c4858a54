// SPDX-License-Identifier: GPL-2.0-only
/// A walk through a table in which each task comes after all that it waits for.
///
/// A forward waits for the forward at the position before, a gradient of inputs (or a whole
/// backward) for the same micro-batch's forward on its stage and for the gradient at the position
/// behind, a gradient of weights for that of inputs. Each stage keeps its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Tasks of a stage from `first` on that are done together.
struct PipelineStep {
  std::uint32_t stage = 0;
  std::size_t first = 0, count = 1;
};

/// Calls `visit` with each step. Stages, chunks and micro-batches of tasks must be those of the
/// shape, and the tasks of a stage the ones that it has to do. Returns for each stage the first
/// task that was not visited: its number of tasks, unless stages wait for each other in a circle.
std::vector<std::size_t> WalkTable(const PipelineTable& table,
                                   const std::function<void(const PipelineStep&)>& visit);

}  // namespace heddle
