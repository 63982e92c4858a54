// SPDX-License-Identifier: GPL-2.0-only
/// What one rank of a pipeline stage did in a step by closed forms.
#pragma once

#include <array>

#include "core/base/units.h"
#include "core/traffic/workload.h"

namespace heddle {

struct LockstepStage {
  Time end;       ///< of its last step, and of what it sent
  Time computed;  ///< time of computing
  /// Time in which it waited for collectives of a type of group; kPipeline: for other stages.
  std::array<Time, kGroupTypes> waited;
};

}  // namespace heddle
