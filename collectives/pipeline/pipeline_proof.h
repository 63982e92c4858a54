// SPDX-License-Identifier: GPL-2.0-only
/// Proof that a table is a schedule: each stage does what it has to do, once and in a possible
/// order, and no stage waits for ever.
#pragma once

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

/// Checks that each stage has for each of its chunks and each micro-batch that passes it one
/// forward and then one backward, or one gradient of inputs and then one of weights; and that all
/// stages come to their ends, however long tasks and messages take. Throws UserError with the
/// table's name, the stage and the task.
void ProveTable(const PipelineTable& table);

}  // namespace heddle
