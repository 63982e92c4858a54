// SPDX-License-Identifier: GPL-2.0-only
/// NCCL's environment variables, for those who bring the settings of a real job.
///
/// Source: NCCL's documentation, environment variables. NCCL_ALGO and NCCL_PROTO are lists of names
/// that are allowed, or with ^ before them forbidden; case does not matter. Parts of NCCL_ALGO
/// after the first ';' hold for one operation: "ring;allreduce:tree". Of several algorithms that
/// are allowed the choice stays automatic if it can only come to an allowed one; else it is ring if
/// that is allowed, or the one named first.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_

#include <functional>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"

namespace heddle {

/// Set what NCCL_ALGO, NCCL_PROTO, NCCL_PXN_DISABLE and NCCL_NVLS_ENABLE say; a line of echo for
/// each that is set. `get_environment` as std::getenv. Throws UserError that names the variable:
/// unknown names (with the nearest known one), algorithms that are not modelled (CollNet, PAT), or
/// that an operation does not have.
void ApplyNcclEnvironment(const std::function<const char*(const char*)>& get_environment,
                          CollectiveOptions* options, std::vector<std::string>* echo);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_ENVIRONMENT_H_
