// SPDX-License-Identifier: GPL-2.0-only
/// Which of NCCL's algorithms a collective takes.
#ifndef HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_
#define HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_

#include <string>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"

namespace heddle {

/// The choice of the description of SimAI's communication stack, section 2.2 (GPU type, group type,
/// size of the group, NVLS), unless options name an algorithm. NVLS over more than one server
/// becomes NVLS-Tree, and NVLS-Tree within one NVLS. `gpu_type` as in the topology's header. Throws
/// UserError if the algorithm that was asked for cannot do it, saying why (NVLS without
/// NVSwitches).
AlgorithmChoice ChooseAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                                const std::string& gpu_type, const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_
