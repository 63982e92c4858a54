// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's environment variables, for users with the settings of a real job.
///
/// Source: NCCL's documentation, environment variables. NCCL_ALGO and NCCL_PROTO are lists of
/// allowed names, or after ^ of forbidden ones; case is ignored. After the first ';', entries of
/// NCCL_ALGO apply to one operation: "ring;allreduce:tree". If several algorithms are allowed, the
/// choice stays automatic if it can only return an allowed one; otherwise it is ring, if allowed,
/// or the first one named.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_

#include "core/options/environment_variables.h"

namespace heddle {

/// NCCL_ALGO, NCCL_PROTO, NCCL_PXN_DISABLE, NCCL_NVLS_ENABLE and NCCL_PAT_ENABLE. Errors: unknown
/// names (with the nearest known one), algorithms that are not modelled (CollNet), and algorithms
/// that an operation does not have.
const EnvironmentFamily& NcclVariables();

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_
