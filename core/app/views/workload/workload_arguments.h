// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle workload`, and the model, the plan and the speed that they stand for.
///
/// A shape begins as a known model's, and flags replace its numbers. With --hidden alone the size
/// of a head is kept, and the inner sizes of MLPs keep their ratio to the hidden size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/workload_model/step_workload.h"

namespace heddle {

/// A flag that replaces a number of the model's shape.
struct ShapeFlag {
  const char* name;
  std::int64_t ModelShape::*number;
  std::uint64_t least, most;
  bool of_experts;  ///< of `moe` only
  const char* help;
};
/// Returns the flags, whose order is that of WorkloadArguments::shape.
const std::vector<ShapeFlag>& ShapeFlags();

struct WorkloadArguments {
  std::string family, model;
  std::vector<std::optional<std::int64_t>> shape;  ///< by ShapeFlags(), if given
  ParallelPlan plan;                               ///< what the flags say; 0: not given
  bool no_sequence_parallel = false, no_zero = false, scale = false;
  bool overlap_gradients = false, no_overlap_gradients = false;
  std::int64_t model_layers = 0;  ///< of which --layers are written; 0: not given
  std::string rules = "megatron";
  std::string gpu = "H100", peak, bandwidth, efficiency, compute_table;  ///< empty: not given
  std::string output = "-";
  bool force = false;
};

/// What is to be written.
struct WorkloadRequest {
  ModelShape shape;
  ModelShape whole;  ///< the same with all its layers, if only some are written
  ParallelPlan plan;
  StepSpeed speed;
  std::vector<std::string> notes;  ///< what was chosen for the user, and what is not as asked

  /// Whether only some of the model's layers are written.
  bool is_part() const { return shape.layers != whole.layers; }
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParseWorkloadArguments(const std::vector<std::string>& arguments, WorkloadArguments* given);

/// Returns the command line as the end of the file says it.
std::string WorkloadCommandText(const std::vector<std::string>& arguments);

/// Throws UsageError for names and flags that do not fit together, UserError for values and the
/// table of compute times.
WorkloadRequest MakeWorkloadRequest(const WorkloadArguments& given);

}  // namespace heddle
