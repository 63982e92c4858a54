// SPDX-License-Identifier: GPL-2.0-only
/// Algorithm and protocol as NCCL's tuner chooses them: algorithm.choice=nccl.
#ifndef HEDDLE_COLLECTIVES_CHOICE_NCCL_CHOICE_H_
#define HEDDLE_COLLECTIVES_CHOICE_NCCL_CHOICE_H_

#include <string>

#include "collectives/choice/collective_options.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/group_shape.h"
#include "collectives/tuner/tuner_rules.h"

namespace heddle {

/// Whether NCCL's tuner chooses: if the options ask for it, it tunes the operation, and there is
/// somebody to talk to.
bool ChoosesAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                   const CollectiveOptions& options);

/// What the options allow the tuner for an operation.
TunerRules TunerRulesOf(Operation operation, const CollectiveOptions& options);

/// The shortest by prediction (collectives/tuner/tuner.h) of the algorithms that are simulated and
/// that serve the group, without PXN. collective.protocol=none keeps the algorithm, and sends plain
/// messages. Throws UserError if none is left, with the reason of each that was asked for.
AlgorithmChoice ChooseAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                             const std::string& gpu_type, const CollectiveOptions& options);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CHOICE_NCCL_CHOICE_H_
