// SPDX-License-Identifier: GPL-2.0-only
/// Chooses NCCL's algorithm for a collective.
#ifndef HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_
#define HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_

#include <string>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"

namespace heddle {

/// An algorithm of a file if the options name one for the operation, and it is for groups of this
/// size; else as without it. With algorithm.choice=nccl as NCCL's tuner (nccl_choice.h), but an
/// algorithm that the options name and the tuner has not is taken as well. Else as in the
/// description of SimAI's communication stack, section 2.2 (GPU type, group type, group size,
/// NVLS), unless options name an algorithm. With kFastestAlgorithm, an AllReduce that would be a
/// ring is a tree if NCCL's prediction (PredictedAllReduce) is that it is faster, and an AllGather
/// or ReduceScatter is PAT (PatIsFaster). NVLS over more than one server becomes NVLS-Tree, and
/// NVLS-Tree within one server becomes NVLS. `gpu_type` as in the topology's header. Throws
/// UserError, with the reason, if the named algorithm cannot serve the group (NVLS without
/// NVSwitches).
AlgorithmChoice ChooseAlgorithm(const CollectiveSpec& spec, const GroupShape& shape,
                                const std::string& gpu_type, const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_ALGORITHM_CHOICE_H_
