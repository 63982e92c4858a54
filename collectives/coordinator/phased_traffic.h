// SPDX-License-Identifier: GPL-2.0-only
/// The messages of a job whose collectives are in phases: counted and visited before the run.
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/job/placed_job.h"
#include "collectives/phased/phase_plan.h"

namespace heddle {

/// Returns the plan of an operation that is not between two ranks, in one of its groups.
PhasePlan PlanOfGroup(const PhasePlanner& planner, PlacedJob* job, std::uint32_t operation,
                      std::uint32_t group);

/// Counts the messages of all collectives of a job in all its passes. Throws UserError for
/// collectives that have no phases.
std::uint64_t CountPhasedFlows(const PhasePlanner& planner, PlacedJob* job);

/// Visits the same in bundles of equal messages; the lanes of a ring count as one.
void ForEachPhasedTraffic(const PhasePlanner& planner, PlacedJob* job,
                          const std::function<void(const PlacedJob::Traffic&)>& visit);

/// Estimates the most of them that are in flight at once: for each type of group, those of the
/// collective that fills the most lanes.
std::uint64_t CountOpenPhasedMessages(const PhasePlanner& planner, PlacedJob* job);

}  // namespace heddle
