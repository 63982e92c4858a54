// SPDX-License-Identifier: GPL-2.0-only
/// Flags of `heddle collective`, and what they make: an operation, options, a group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"

namespace heddle {

struct CollectiveArguments {
  std::string operation, bytes, group = "TP", gpu_type = "H100", format = "table", output;
  std::int64_t ranks = 0, gpus_per_server = 8, nvswitches = 1, root = 0;
  std::optional<std::int64_t> peer;
  std::string phases, form;
  std::int64_t rank = 0;
  bool tune = false;
  std::string most_bytes;   ///< with `tune`: the largest size; empty: as `bytes`
  std::int64_t factor = 0;  ///< with `tune`: from one size to the next; 0: not given
  std::vector<std::string> settings;
  bool force = false, json = false;
};

/// Returns false if there is nothing else to do (--help). Throws UsageError for flags that do not
/// go together, and for values that a flag does not have.
bool ParseCollectiveArguments(const std::vector<std::string>& arguments,
                              CollectiveArguments* given);

/// Throws UsageError unless the value is in the range.
void CheckRange(const std::string& flag, std::int64_t value, std::int64_t low, std::int64_t high);

/// Returns the operation. Throws UsageError, which names the flag.
CollectiveSpec SpecOf(const CollectiveArguments& given);

/// Sizes to tune for, ascending.
std::vector<std::int64_t> SizesToTune(const CollectiveArguments& given);

/// Returns the options from NCCL's variables and --set; with `tune` as if algorithm.choice=nccl.
CollectiveOptions OptionsOf(const CollectiveArguments& given);

/// Returns where the ranks are: servers of --gpus-per-server GPUs.
GroupShape ShapeOf(const CollectiveArguments& given);

}  // namespace heddle
