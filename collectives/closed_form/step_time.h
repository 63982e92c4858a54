// SPDX-License-Identifier: GPL-2.0-only
/// Time of a training step in closed form, from the prices of its collectives.
///
///     step = computing + exposed communication + messages between stages + bubble
///
/// Overlap. A share of each collective is hidden, by its own group. What is hidden of forward
/// communication is at most the forward computing; of the gradients' communication, at most the
/// computing of both gradients. Above that, all are hidden in proportion.
///
/// Stages. A stage's rows are cut into micro-batches (collectives/program/micro_batches.h); rows
/// before and after them are no part of the pipeline. A schedule's table is run on ideal stages
/// (collectives/pipeline/ideal_times.h), whose tasks take what is computed and exposed of their
/// rows, times the stage's weight. The bubble is what it takes above the sum of a stage's
/// micro-batches without messages; exposed messages are what they add. Senders wait for the share
/// of a message that is not hidden.
///
/// Without a schedule, stages are interleaved by the workload's vpp, as SimAI takes it: with A
/// micro-batches of t each, P stages of which stage i takes w_i times as long as the workload's,
/// the largest w, and V chunks of layers
///
///     bubble = A t (w - 1) + t (sum of w_i - w) / V
///
/// and messages: 2 V A in a row, of which a share is hidden, at most the computing of the
/// micro-batches; and 2 (P - 1) while the pipeline fills and drains, which nothing hides.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC 2021, 2.2 (interleaved). Omitted: contention between collectives at the
/// same time, updates of weights. A checkpointed layer runs forward again, and communicates again.
#pragma once

#include "collectives/closed_form/step_parts.h"
#include "collectives/program/groups.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Returns the time of a step and its parts. Throws UserError if the rows cannot be cut into
/// micro-batches and chunks, and if the schedule is not legal for them. stage_weights is empty or
/// has a value for each stage.
PredictedStep TimeOfStep(const Workload& workload, const ParallelGroups& groups,
                         const StepRules& rules);

}  // namespace heddle
