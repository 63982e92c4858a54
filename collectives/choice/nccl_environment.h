// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's environment variables, for users with the settings of a real job.
///
/// Source: NCCL's documentation, environment variables. NCCL_ALGO and NCCL_PROTO are lists of
/// allowed names, or after ^ of forbidden ones; case is ignored. After the first ';', entries of
/// NCCL_ALGO apply to one operation: "ring;allreduce:tree". Several algorithms become a list
/// (algorithm_list.h); all that an operation has are auto.
#pragma once

#include "core/options/environment_variables.h"

namespace heddle {

/// NCCL_ALGO, NCCL_PROTO, NCCL_PXN_DISABLE, NCCL_NVLS_ENABLE, NCCL_PAT_ENABLE, NCCL_COLLNET_ENABLE
/// and NCCL_COLLNET_NODE_THRESHOLD. Errors: unknown names (with the nearest known one), and
/// algorithms that an operation does not have.
const EnvironmentFamily& NcclVariables();

}  // namespace heddle
