// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle workload` prints about the step that it wrote.
#ifndef HEDDLE_CORE_APP_WORKLOAD_WORKLOAD_SUMMARY_H_
#define HEDDLE_CORE_APP_WORKLOAD_WORKLOAD_SUMMARY_H_

#include <string>

#include "core/app/workload/workload_arguments.h"

namespace heddle {

/// Model, groups, computing and bytes of a step; what a part of the layers changes; and the command
/// to run next. `file`: where `workload` went, for the command.
std::string WorkloadSummary(const WorkloadRequest& request, const Workload& workload,
                            const std::string& file);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_WORKLOAD_WORKLOAD_SUMMARY_H_
