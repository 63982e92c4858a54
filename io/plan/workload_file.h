// SPDX-License-Identifier: GPL-2.0-only
/// Reader of what `-w` and `--job` name: a plan or a workload of SimAI.
#pragma once

#include <string>
#include <vector>

#include "core/traffic/workload.h"

namespace heddle {

/// Reads a plan if the name ends in ".toml" (plan_file.h), else a workload (simai_workload.h).
/// `replaced`: "KEY=VALUE" in place of keys of plans; SimAI's files have none. `gpu_type`: the
/// fabric's, empty without one. Adds notes of the plan to `notes`. `stages_alike`: a plan's stages
/// are described by one (ParallelPlan::stages_alike). Throws UserError.
Workload ReadWorkload(const std::string& path, const std::vector<std::string>& replaced,
                      const std::string& gpu_type, std::vector<std::string>* notes,
                      bool stages_alike = false);

}  // namespace heddle
