// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/lockstep/lockstep.h"

#include <algorithm>

#include "collectives/lockstep/stage_clock.h"
#include "core/base/check.h"

namespace heddle {

std::vector<LockstepStage> RunLockstep(const Job& job, ClosedPrices* prices) {
  StagePrices of_stages(job, prices);
  Arrivals arrivals;
  std::vector<StageClock> clocks;
  for (std::uint32_t stage = 0; stage < job.groups.pipeline(); ++stage)
    clocks.emplace_back(job, stage, &of_stages, &arrivals);
  // What a stage does follows from when it began its own and when messages arrive, so the order in
  // which stages go on does not count.
  bool any = true;
  while (any) {
    any = false;
    for (StageClock& clock : clocks) any = clock.Advance() || any;
  }
  std::vector<LockstepStage> stages;
  for (const StageClock& clock : clocks) {
    HEDDLE_EXPECT(clock.ended());
    stages.push_back(clock.record());
  }
  return stages;
}

Time EndOf(const std::vector<LockstepStage>& stages) {
  Time end;
  for (const LockstepStage& stage : stages) end = std::max(end, stage.end);
  return end;
}

}  // namespace heddle
