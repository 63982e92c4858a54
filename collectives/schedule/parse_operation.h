// SPDX-License-Identifier: GPL-2.0-only
/// Reads operations and kinds of groups as a command line names them.
#pragma once

#include <string>

#include "core/traffic/workload.h"

namespace heddle {

/// Reads "allreduce", "ALLGATHER", "reduce_scatter_perf", ...: capitals do not count, nor how
/// nccl-tests write names. Throws UsageError that names `what` and the nearest name.
Operation ParseOperation(const std::string& what, const std::string& text);
/// Reads "tp", "DP_EP", .... Throws as ParseOperation().
GroupType ParseGroupType(const std::string& what, const std::string& text);

}  // namespace heddle
