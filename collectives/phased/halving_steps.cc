// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/halving_steps.h"

#include "core/base/check.h"

namespace heddle {

HalvingSteps HalvingSteps::Of(Operation operation, std::uint32_t members) {
  HEDDLE_EXPECT(Fits(members) && operation != Operation::kAllToAll);
  HalvingSteps steps;
  while (1U << steps.levels < members) ++steps.levels;
  steps.halves = operation != Operation::kAllGather;
  steps.doubles = operation != Operation::kReduceScatter;
  return steps;
}

}  // namespace heddle
