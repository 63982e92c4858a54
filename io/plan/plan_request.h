// SPDX-License-Identifier: GPL-2.0-only
/// What a person asks for of a training step: by flags of `heddle workload`, or in a plan file
/// (plan_file.h), whose keys are the names of the flags.
///
/// A shape begins as a known model's, and numbers replace its own. With the hidden size alone the
/// size of a head is kept, and the inner sizes of MLPs keep their ratio to the hidden size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/workload_model/step_workload.h"

namespace heddle {

/// A number of the model's shape that may be given.
struct ShapeNumber {
  const char* name;  ///< of its flag: "--kv-heads"
  std::int64_t ModelShape::*number;
  std::int64_t least, most;
  bool of_experts;  ///< of models with experts only
  const char* help;
};
/// Returns the numbers, whose order is that of PlanRequest::shape. The layers come first.
const std::vector<ShapeNumber>& ShapeNumbers();

/// A number of the plan that may be given, from 1.
struct PlanNumber {
  const char* name;  ///< of its flag: "--tp"
  std::int64_t ParallelPlan::*number;
  std::int64_t most;
  const char* help;
};
/// Returns the numbers; the GPUs, which must be given, come first.
const std::vector<PlanNumber>& PlanNumbers();

/// The type of GPUs where nobody says one.
constexpr const char* kUsualGpu = "H100";
/// Kinds of values in the plan's table [experts].
enum class ExpertKeyKind : std::uint8_t { kWord, kNumber, kTruth, kFile };

/// A key of the plan's table [experts]: that of a run's option experts.KEY, which checks its value.
struct ExpertKey {
  const char* key;
  ExpertKeyKind kind;
};
/// Returns the keys; what follows from the shape (count, top_k, tokens) is none of them.
const std::vector<ExpertKey>& ExpertKeys();

struct PlanRequest {
  PlanRequest();

  std::string model;                               ///< of KnownModels()
  std::vector<std::optional<std::int64_t>> shape;  ///< by ShapeNumbers(), if given
  ParallelPlan parallel;                           ///< what is asked for; 0: not given
  bool no_sequence_parallel = false, scale = false;
  std::int64_t zero = 1;  ///< 0, 1 or 3
  bool overlap_gradients = false, no_overlap_gradients = false;
  bool overlap_experts = false, tp_comm_overlap = false;
  std::int64_t model_layers = 0;  ///< of which some are written; 0: not given
  std::string rules = "megatron";
  std::string cp_comm_type;                    ///< of ContextExchange; empty: not given
  std::string schedule, senders;               ///< of pipeline.*; empty: not given
  std::string recompute, precision;            ///< empty: not given
  std::map<std::string, std::string> experts;  ///< by ExpertKeys(), as text
  std::string gpu;                             ///< of KnownGpuSpeeds(); empty: kUsualGpu
  std::string peak, bandwidth, efficiency, fp8_efficiency, compute_table;  ///< empty: not given
};

}  // namespace heddle
