// SPDX-License-Identifier: GPL-2.0-only
/// Collectives in phases over the dimensions of a fabric, cut into chunks (collectives/phased).
/// Messages between two ranks go by their schedules beside them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/coordinator/collective_method.h"
#include "collectives/phased/phase_plan.h"

namespace heddle {

class PhasedCollectives final : public CollectiveMethod {
 public:
  /// `graph` must outlive it. Throws UserError for options that the fabric cannot have.
  PhasedCollectives(const Graph& graph, const PhasedOptions& options)
      : gpus_(graph.gpu_count()), planner_(graph, options) {}

  /// Makes rings of listed groups that are neither all GPUs nor along the dimensions.
  void AddJob(const Job& job) override;
  std::unique_ptr<CollectiveAgent> MakeAgent(ExecutionContext* context,
                                             const std::vector<Seat>& seats,
                                             const std::vector<NodeId>& nodes) const override;
  /// Returns the least of the two endpoint delays and, if there are messages between two ranks that
  /// IssueDelay delays, of its delays.
  Time LeastDelay(const ExecutionContext& context) const override;
  /// Returns the endpoint delay where messages go over the links of hardware; ASTRA-sim's leave
  /// when they are issued if sends last until they have arrived.
  std::optional<Time> MessageDelay(bool until_arrival) const override;
  /// Whether the plans say so, without messages between two ranks.
  bool neighbours_only() const override { return planner_.neighbours_only() && !messages_; }
  std::uint64_t CountFlows(PlacedJob* job) const override;
  std::uint64_t CountOpenMessages(PlacedJob* job) const override;
  void ForEachTraffic(PlacedJob* job,
                      const std::function<void(const PlacedJob::Traffic&)>& visit) const override;
  std::vector<std::string> DescribeDeadlock(const ExecutionContext& context, const Graph& graph,
                                            const std::vector<ChunkStand>& stands) const override;

 private:
  std::size_t gpus_;  ///< of the fabric
  PhasePlanner planner_;
  bool messages_ = false;  ///< some operations are between two ranks
};

}  // namespace heddle
