// SPDX-License-Identifier: GPL-2.0-only
/// A workload as SimAI's analytical program keeps it: numbers as its reader leaves them, wrong ones
/// too. core/traffic/workload.h is the checked form, which heddle runs.
///
/// Source: SimAI 1.6, Workload.cc (initialize_workload).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/traffic/workload.h"

namespace heddle {

struct RawPhase {
  std::uint64_t compute_ns = 0;
  Operation operation = Operation::kNone;  ///< also for words that SimAI does not know
  std::optional<GroupType> group;          ///< none: a suffix that SimAI does not know
  std::uint64_t bytes = 0;
};

struct RawLayer {
  std::string name;
  RawPhase forward, input_gradient, weight_gradient;
  int forward_runs = 1;   ///< 2: run again before its gradients, because of checkpoints
  std::int64_t line = 0;  ///< in the file, where the row begins
};

/// Sizes are 0 where the header has no such key.
struct RawWorkload {
  std::string policy;          ///< the first word
  bool is_transformer = true;  ///< a policy of which SimAI takes the sizes
  int tensor = 0, expert = 0, pipeline = 0, virtual_pipeline = 0, gradient_accumulation = 0;
  std::uint32_t pipeline_bytes = 0;
  std::vector<RawLayer> layers;
};

}  // namespace heddle
