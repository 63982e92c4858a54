// SPDX-License-Identifier: GPL-2.0-only
/// The interface of methods that carry out collectives by messages: by schedules of algorithms
/// (scheduled_collectives.h), or in phases of chunks (phased_collectives.h). A run has one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/coordinator/collective_agent.h"
#include "collectives/coordinator/known_messages.h"
#include "collectives/execution/execution_context.h"
#include "collectives/job/job.h"
#include "collectives/job/placed_job.h"
#include "collectives/phased/chunk_deadlock.h"
#include "core/base/units.h"
#include "topology/graph/graph.h"

namespace heddle {

class CollectiveMethod {
 public:
  virtual ~CollectiveMethod() = default;

  /// Registers the groups of a job. Call it for each job, before the other functions.
  virtual void AddJob(const Job& /*job*/) {}
  /// Makes the agent of a domain with these nodes. `context` and `seats`, by GPU, outlive it, as
  /// does this object.
  virtual std::unique_ptr<CollectiveAgent> MakeAgent(ExecutionContext* context,
                                                     const std::vector<Seat>& seats,
                                                     const std::vector<NodeId>& nodes) const = 0;
  /// Returns the least time between a completion and the start of what it enables.
  virtual Time LeastDelay(const ExecutionContext& context) const = 0;
  /// Returns the delay of messages between two ranks, from when they may be sent, where links
  /// report arrivals as they happen; nothing: IssueDelay has it. `until_arrival`: the sends of a
  /// program last until they have arrived.
  virtual std::optional<Time> MessageDelay(bool /*until_arrival*/) const { return {}; }
  /// Whether all messages of collectives go to linked nodes.
  virtual bool neighbours_only() const { return false; }

  /// Counts the messages of a job in all passes. Throws UserError for what has no messages.
  virtual std::uint64_t CountFlows(PlacedJob* job) const = 0;
  /// Estimates the most messages of a job that are in flight at once.
  virtual std::uint64_t CountOpenMessages(PlacedJob* job) const = 0;
  /// Visits all messages of a job in bundles, without creating them.
  virtual void ForEachTraffic(
      PlacedJob* job, const std::function<void(const PlacedJob::Traffic&)>& visit) const = 0;

  /// Describes a cycle of chunks that wait for each other for ever, one line for each that has
  /// begun; empty if there is none. `stands`: of all ranks.
  virtual std::vector<std::string> DescribeDeadlock(
      const ExecutionContext& /*context*/, const Graph& /*graph*/,
      const std::vector<ChunkStand>& /*stands*/) const {
    return {};
  }
};

}  // namespace heddle
