// SPDX-License-Identifier: GPL-2.0-only
/// Algorithm and protocol as NCCL's tuner chooses them: algorithm.choice=nccl.
#pragma once

#include <optional>
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

/// Returns what the options allow the tuner for an operation.
TunerRules TunerRulesOf(Operation operation, const CollectiveOptions& options);

/// Returns the shortest by prediction (collectives/tuner/tuner.h) of the algorithms that are
/// simulated and that serve the group, without PXN; nothing if none is left.
/// collective.protocol=none keeps the algorithm, and sends plain messages.
std::optional<AlgorithmChoice> FindAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                                          const std::string& gpu_type,
                                          const CollectiveOptions& options);

/// Whether the options name one algorithm that is simulated, and neither they nor the GPUs rule it
/// out: it is taken then, also where NCCL's tuner has none left.
bool NamesOne(Operation operation, const std::string& gpu_type, const CollectiveOptions& options);

/// Throws UserError where nothing is left, with the reason of each that was asked for.
[[noreturn]] void RefuseAsNccl(const CollectiveSpec& spec, const GroupShape& shape,
                               const std::string& gpu_type, const CollectiveOptions& options);

}  // namespace heddle
