// SPDX-License-Identifier: GPL-2.0-only
/// Whether a communicator asks for trees of switches that add.
#pragma once

#include "collectives/choice/collective_options.h"
#include "core/traffic/workload.h"

namespace heddle {

/// Whether an operation of several servers may be by an algorithm that uses trees: with NCCL's
/// choice, if CollNet is on and an algorithm that uses it is not forbidden; with any, if one is
/// asked for by name.
bool MayUseTrees(Operation operation, const CollectiveOptions& options);

}  // namespace heddle
