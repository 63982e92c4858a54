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
/// before and after them are no part of the pipeline. With A micro-batches of t each, P stages of
/// which stage i takes w_i times as long as the workload's, the largest w, and V chunks of layers:
///
///     bubble = A t (w - 1) + t (sum of w_i - w) / V
///
/// t is what is exposed and computed; with the schedule ZB-H1 the second t is without the gradients
/// of weights. V is 1 but for interleaved stages. Messages: 2 V A in a row, of which a share is
/// hidden, at most the computing of the micro-batches; and 2 (P - 1) while the pipeline fills and
/// drains, which nothing hides.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC 2021, 2.2 (1F1B, interleaved); P. Qi et al., "Zero Bubble Pipeline
/// Parallelism", ICLR 2024 (ZB-H1). Omitted: contention between collectives at the same time,
/// updates of weights. A checkpointed layer runs forward again, and communicates again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/closed_form/collective_price.h"
#include "collectives/program/groups.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Shares in [0, 1].
struct OverlapShares {
  double data = 0;  ///< of DP, DP_EP and ALL
  double tensor = 0, expert = 0, pipeline = 1;
};

enum class StageSchedule : std::uint8_t { kOneForwardOneBackward, kInterleaved, kZeroBubbleH1 };

struct StepRules {
  std::uint32_t gpus_per_server = 1;
  OverlapShares overlaps;
  StageSchedule schedule = StageSchedule::kInterleaved;
  std::vector<double> stage_weights;  ///< by stage, above 0; empty: all 1
  /// The rules of a group's collectives; of PP for messages between stages.
  std::function<PriceRules(GroupType, Operation)> rules;
  /// The price of a collective of so many bytes, of the slowest of a type's groups, in place of
  /// `rules`; it returns none where these shall hold. Empty: they do everywhere.
  std::function<std::optional<CollectivePrice>(Operation, GroupType, std::int64_t)> fabric;
};

/// One phase of one row.
struct PhaseTime {
  double computing = 0;  ///< [s]
  double exposed = 0;    ///< [s]
  CollectivePrice price;
};

struct RowTime {
  PhaseTime forward, input_gradient, weight_gradient;
  double again = 0;          ///< forward computing and communication repeated from a checkpoint [s]
  double again_exposed = 0;  ///< of it, the communication
};

/// [s]
struct StepTime {
  std::vector<RowTime> rows;
  double computing = 0;
  std::array<double, kGroupTypes> exposed = {};        ///< by group
  std::array<double, kGroupTypes> communication = {};  ///< the same before overlap
  double bubble = 0;
  double total = 0;
  CollectivePrice stage_message;  ///< one, between stages
};

/// Returns the time of a step and its parts. Throws UserError if the rows cannot be cut into
/// micro-batches. stage_weights is empty or has a value for each stage.
StepTime TimeOfStep(const Workload& workload, const ParallelGroups& groups, const StepRules& rules);

}  // namespace heddle
