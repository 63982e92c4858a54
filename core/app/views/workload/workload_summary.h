// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle workload` prints about the step that it wrote.
#pragma once

#include <string>

#include "core/app/views/workload/workload_arguments.h"

namespace heddle {

/// Model, groups, computing and bytes of a step; what a part of the layers changes; and the command
/// to run next. `file`: where `workload` went, for the command.
std::string WorkloadSummary(const WorkloadRequest& request, const Workload& workload,
                            const std::string& file);

}  // namespace heddle
