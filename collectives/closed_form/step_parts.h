// SPDX-License-Identifier: GPL-2.0-only
/// What the time of a training step depends on, and what it consists of; step_time.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "collectives/closed_form/collective_price.h"
#include "collectives/pipeline/pipeline_options.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Shares in [0, 1].
struct OverlapShares {
  double data = 0;  ///< of DP, DP_EP and ALL
  double tensor = 0, expert = 0, pipeline = 1;
};

struct StepRules {
  std::uint32_t gpus_per_server = 1;
  OverlapShares overlaps;
  std::optional<PipelineOptions> schedule;  ///< of the stages; none: interleaved by vpp
  std::vector<double> stage_weights;        ///< by stage, above 0; empty: all 1
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
struct PredictedStep {
  std::vector<RowTime> rows;
  double computing = 0;
  std::array<double, kGroupTypes> exposed = {};        ///< by group
  std::array<double, kGroupTypes> communication = {};  ///< the same before overlap
  double bubble = 0;
  double total = 0;
  CollectivePrice stage_message;  ///< one, between stages
};

}  // namespace heddle
