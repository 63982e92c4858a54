// SPDX-License-Identifier: GPL-2.0-only
/// The global flow coordinator: an agent in every domain drives the GPUs there; together they carry
/// out the jobs' collectives, by schedules or in phases (collective_method.h).
///
/// The messages that an arrival enables are found at the destination, from the message's name and
/// the schedule alone. A dependency within a domain costs a call; one across domains or MPI ranks
/// costs a message in the windows. No global state is used during the run; only the end is global:
/// which GPUs have finished, what is left and which GPU waits for which.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/contents/collective_contents.h"
#include "collectives/coordinator/collective_agent.h"
#include "collectives/coordinator/collective_method.h"
#include "collectives/coordinator/known_messages.h"
#include "collectives/execution/execution_context.h"
#include "collectives/job/job.h"
#include "core/checkpoint/checkpoint.h"
#include "core/traffic/flow_agent.h"
#include "topology/aggregation/tree_ground.h"
#include "topology/graph/graph.h"
#include "topology/routes/failures.h"

namespace heddle {

/// The coordinator of this MPI rank.
class FlowCoordinator final : public FlowDriver {
 public:
  /// `graph` and `jobs` must outlive it. `timeline`: record every GPU's steps
  /// (execution_records.h). `failures`: sorted by time; trees of switches that add avoid links that
  /// are down when the job starts. `stand_ins`: of a pipeline stage whose GPUs do the same
  /// (stages_in_step.h) only the first runs, and stands for all; for what carries whole collectives
  /// and gives equal groups equal times.
  FlowCoordinator(const Graph& graph, const std::vector<Job>& jobs,
                  const CollectiveOptions& options, bool timeline,
                  const std::vector<LinkEvent>& failures = {}, bool stand_ins = false);
  ~FlowCoordinator() override;

  /// Makes the agent of a domain, which stays this object's; null if no GPU of a job and no other
  /// end of flows is among `nodes`.
  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  /// Returns the least time between a completion and the start of what it enables, less what
  /// programs that are graphs lag.
  Time notice_delay() const override;
  std::optional<CollectiveCall> CallOf(const CollectiveName& name) override;
  /// Describes what the unfinished GPU with the lowest number here waits for; empty: all have
  /// finished.
  std::string WaitsFor() const override;
  /// Makes messages carry numbers from here on, so that results are checked; call it before
  /// AgentOf().
  void KeepContents(ResultChecks checks);
  MessageContents* contents() override { return contents_.get(); }  ///< null without KeepContents()
  /// Whether all messages go to linked nodes.
  bool neighbours_only() const override { return method_->neighbours_only(); }

  /// Saves for a checkpoint what the GPUs here recorded together; the agents save the rest with
  /// their domains.
  void SavePiece(PieceWriter* to, RankId here) const;
  /// Loads this rank's share of those pieces, whatever number of ranks wrote them. Call it after
  /// AgentOf() of all domains and before the domains are loaded; it drops what the agents recorded
  /// at their beginning.
  void LoadPieces(CheckpointPieces* from, const Communicator& world);

  ExecutionContext& context() { return context_; }  ///< of this rank's participants
  const ExecutionContext& context() const { return context_; }
  /// Describes, in a line for each job that asks for them, the trees of switches that add
  /// (PlacedJob::DescribeTrees()).
  std::vector<std::string> DescribeTrees() const;
  /// Describes, in a line for each job that has them, the GPUs that stand for others.
  std::vector<std::string> DescribeStandIns() const;
  /// Counts the messages of all jobs in all passes. Throws UserError for collectives that
  /// have none.
  std::uint64_t CountFlows();
  /// Estimates the most messages of all jobs that are in flight at once.
  std::uint64_t CountOpenMessages();
  /// Visits all messages of all jobs in bundles, without creating them.
  void ForEachTraffic(const std::function<void(const PlacedJob::Traffic&)>& visit);
  /// Number of GPUs with jobs in the domains that have agents here.
  std::uint32_t gpus() const;
  /// Number of gpus() that have finished.
  std::uint32_t finished() const { return static_cast<std::uint32_t>(context_.finishes.size()); }
  /// Describes what the unfinished GPUs here wait for: the first `most` by GPU number.
  std::map<NodeId, std::string> Waiting(std::size_t most) const;
  /// Returns where the chunks of collectives in phases stand here.
  std::vector<ChunkStand> ChunkStands() const;
  /// Describes a cycle of chunks that wait for each other for ever, one line for each that has
  /// begun; empty if there is none. `stands`: of all ranks.
  std::vector<std::string> DescribeChunkDeadlock(const std::vector<ChunkStand>& stands) const {
    return method_->DescribeDeadlock(context_, graph_, stands);
  }
  /// Latest end of a program on this rank; 0: none has ended.
  Time end() const;
  /// Memory of groups and schedules [byte].
  std::size_t schedule_memory() const;
  /// Adds the memory of groups, schedules, programs, collectives in progress, and their records.
  void AddMemory(MemoryAccount* account) const;

 private:
  /// Sets message_delay and graph_lag from what the programs of all jobs contain.
  void DelayMessages(const std::vector<Job>& jobs);
  /// Seats the ranks of a job that run.
  void TakeSeats(const PlacedJob& placed);

  const Graph& graph_;
  std::optional<TreeGround> ground_;  ///< if switches add
  ExecutionContext context_;
  std::unique_ptr<CollectiveMethod> method_;
  bool graphs_ = false;                           ///< some programs are graphs
  std::unique_ptr<CollectiveContents> contents_;  ///< null: messages carry nothing
  std::vector<Seat> seats_;                       ///< by GPU
  std::vector<std::unique_ptr<CollectiveAgent>> agents_;
};

}  // namespace heddle
