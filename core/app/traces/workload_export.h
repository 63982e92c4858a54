// SPDX-License-Identifier: GPL-2.0-only
/// `heddle export -n FABRIC -w WORKLOAD --goal FILE`: what a workload computes and sends, as a
/// schedule in GOAL.
#pragma once

#include <string>
#include <vector>

namespace heddle {

inline constexpr const char* kGoalFlag = "--goal";

/// Whether the command line of `heddle export` is one of these.
bool ExportsWorkload(const std::vector<std::string>& arguments);

/// All other words are flags of `heddle run`. A FILE that ends in ".bin" is written in binary.
/// Returns the exit code. Throws UsageError and UserError, and as UnrollJobs().
int ExportWorkload(const std::vector<std::string>& arguments);

}  // namespace heddle
