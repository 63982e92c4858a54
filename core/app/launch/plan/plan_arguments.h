// SPDX-License-Identifier: GPL-2.0-only
/// Arguments of `heddle plan search`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/plan/plan_space.h"

namespace heddle {

struct PlanSearchArguments {
  std::string fabric;
  std::string plan, model;  ///< a file, or a model's name
  std::int64_t global_batch = 0;
  std::vector<std::string> replaced;  ///< KEY=VALUE in place of keys of the plan
  std::vector<std::string> settings;  ///< --set of each run
  std::string like;
  std::int64_t most_tensor = 0;   ///< 0: the GPUs of a server
  std::int64_t most_context = 0;  ///< 0: PlanSpace's
  std::string schedules;  ///< words of pipeline.schedule; "all"; empty: those of CommonRequest()
  std::int64_t most_chunks = 8;            ///< of a stage, if interleaved
  double most_memory = kUsualMemoryShare;  ///< PlanSpace's
  std::uint32_t top = 5;
  std::string check = "none";  ///< a backend that the best are run with
  std::string folder = "plans";
  bool force = false, json = false;
};

/// Returns false if help was asked for (and printed). Throws UsageError.
bool ParsePlanSearch(const std::vector<std::string>& arguments, PlanSearchArguments* given);

/// Returns what all plans have in common. Choices of experts in `settings` move to it, as plans
/// say them themselves; so does its schedule to `schedules`, if none are given. Throws UserError
/// for the file, UsageError for keys.
PlanRequest CommonRequest(PlanSearchArguments* given);

}  // namespace heddle
