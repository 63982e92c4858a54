// SPDX-License-Identifier: GPL-2.0-only
/// Operations and kinds of groups by their names on a command line.
#pragma once

#include <string>

#include "core/traffic/workload.h"

namespace heddle {

/// "allreduce", "ALLGATHER", "reduce_scatter_perf", ...: capitals do not count, nor how nccl-tests
/// write names. Throws UsageError that names `what` and the
/// nearest name.
Operation ParseOperation(const std::string& what, const std::string& text);
/// "tp", "DP_EP", ...
GroupType ParseGroupType(const std::string& what, const std::string& text);

}  // namespace heddle
