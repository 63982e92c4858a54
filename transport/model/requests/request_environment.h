// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's and RCCL's environment variables about queue pairs (docs/models/cast.md).
#pragma once

#include "core/options/environment_variables.h"

namespace heddle {

/// Returns NCCL_IB_QPS_PER_CONNECTION, NCCL_IB_SPLIT_DATA_ON_QPS and NCCL_IB_QP_SCHED_*. The
/// scheduler follows from the two variables that choose it, whether one or both are given.
/// NCCL_IB_QP_SCHED_ENABLE=0 alone is what RCCL calls off, and changes nothing.
EnvironmentFamily RequestVariables();

}  // namespace heddle
