// SPDX-License-Identifier: GPL-2.0-only
/// What GPUs post to when collectives are in phases: their collectives go to the scheduler of
/// chunks, whose messages go to the transport.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "collectives/job/placed_job.h"
#include "collectives/phased/chunk_scheduler.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class PhasedPort final : public FlowPoster {
 public:
  /// Arguments as ChunkScheduler's.
  PhasedPort(const PhasePlanner& planner, FlowPoster* port, const std::vector<NodeId>& npus,
             ChunkScheduler::Completed completed, ChunkScheduler::DelayedCall delayed)
      : port_(port), scheduler_(&planner, port, npus, std::move(completed), std::move(delayed)) {}

  /// Posts a message between two ranks, which has no phases.
  void Post(const FlowPost& flow) override { port_->Post(flow); }
  Time Now() const override { return port_->Now(); }  ///< the transport's
  /// Asks the transport for a call at `when`.
  void WakeAt(Time when) override { port_->WakeAt(when); }
  CollectiveCarrier* collectives() override { return &scheduler_; }  ///< carries in chunks
  ChunkScheduler& scheduler() { return scheduler_; }                 ///< of this domain's NPUs
  const ChunkScheduler& scheduler() const { return scheduler_; }

 private:
  FlowPoster* port_;
  ChunkScheduler scheduler_;
};

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
