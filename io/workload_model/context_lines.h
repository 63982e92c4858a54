// SPDX-License-Identifier: GPL-2.0-only
/// Attention where the ranks of a context parallel (CP) group share the positions of a sequence:
/// its lines between the matrices for queries, keys and values and that of its output.
///
/// Source: NVIDIA's Transformer Engine (its module of context parallel attention). With C ranks:
/// - p2p: C steps, each a C-th of the pairs of positions, as each rank has one slice of the first
///   half of the positions and its mirror of the last. In each but the last, keys and values go to
///   the next rank under the computing. Backward they go round again, and their gradients from the
///   second step on: one part in the first and the last step, two in those between.
/// - a2a: queries, keys and values change from all heads of some positions to some heads of all;
///   attention's sum changes back. Backward the gradients take both ways in reverse.
/// - allgather: keys and values are gathered; backward again, and their gradients are reduced.
/// Keys, values and gradients have 2 bytes a number, and as many heads as the model has of keys.
///
/// Not modelled: attention's smaller kernels, which reach less of the peak; corrections of partial
/// sums; FP8 exchanges; a2a+p2p.
#pragma once

#include <cstdint>

#include "io/workload_model/step_lines.h"

namespace heddle {

/// What a rank has of one layer and micro-batch [byte].
struct ContextBytes {
  std::int64_t keys_values = 0;
  std::int64_t queries_too = 0;  ///< with keys and values
  std::int64_t output = 0;       ///< attention's sum
};
/// Requires that CheckPlan() accepts both.
ContextBytes ContextBytesOf(const ModelShape& shape, const ParallelPlan& plan);

/// Adds the lines. `pairs`: times of attention's pairs of a rank. Requires CP above 1.
void AddContextLines(const StepModel& model, const PhaseTimes& pairs, StepLines* lines);

}  // namespace heddle
