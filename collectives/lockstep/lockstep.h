// SPDX-License-Identifier: GPL-2.0-only
/// A step by closed forms, of one rank for each pipeline stage: what the analytical backend
/// computes for all ranks, where the ranks of a stage do the same at the same time.
///
/// All ranks of a stage have one program, and begin together. They go on together as long as the
/// groups of a type have one price; where prices differ, each collective here takes that of the
/// slowest group of the stage. Routed experts compute as long as those of the rank with most
/// tokens. A stage's programs run on the clock of its first rank, by the rules of StepClock
/// (collectives/execution): collectives of one communicator take turns, messages between stages do
/// not.
///
/// Not modelled: what the analytical backend leaves out, windows of operations, and ranks of a
/// stage that drift apart.
#pragma once

#include <vector>

#include "collectives/closed_form/closed_prices.h"
#include "collectives/job/job.h"
#include "collectives/lockstep/lockstep_stage.h"
#include "core/base/units.h"

namespace heddle {

/// Runs all passes of the job. Requires steps, not a graph (Program::graph), and `prices` of the
/// fabric that the job is on. Throws UserError as ClosedPrices does.
std::vector<LockstepStage> RunLockstep(const Job& job, ClosedPrices* prices);

/// Returns the latest end of a stage.
Time EndOf(const std::vector<LockstepStage>& stages);

}  // namespace heddle
