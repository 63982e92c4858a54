// SPDX-License-Identifier: GPL-2.0-only
/// What GPUs post to when collectives are in phases: their collectives go to the scheduler of
/// chunks, whose messages go to the transport.
#pragma once

#include <utility>
#include <vector>

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

}  // namespace heddle
