// SPDX-License-Identifier: GPL-2.0-only
/// The global flow coordinator: one part of it in every domain drives the GPUs there; together they
/// carry out the jobs' collectives.
///
/// What a message makes possible is found where it arrives, from its name and the schedule alone: a
/// dependency within a domain costs a call, one across domains or MPI ranks a message in the
/// windows. Nothing global is asked on the way. What is global is the end: who has finished, what
/// is left and who waits for whom.
#ifndef HEDDLE_COLLECTIVES_EXECUTION_FLOW_COORDINATOR_H_
#define HEDDLE_COLLECTIVES_EXECUTION_FLOW_COORDINATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/choice/collective_options.h"
#include "collectives/execution/execution_context.h"
#include "collectives/job/job.h"
#include "core/checkpoint/checkpoint.h"
#include "core/traffic/flow_agent.h"
#include "topology/graph/graph.h"

namespace heddle {

/// This MPI rank's part.
class FlowCoordinator final : public FlowDriver {
 public:
  /// `graph` and `jobs` must outlive it. `timeline`: keep every GPU's steps (flow_records.h).
  FlowCoordinator(const Graph& graph, const std::vector<Job>& jobs,
                  const CollectiveOptions& options, bool timeline);
  ~FlowCoordinator() override;

  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  Time notice_delay() const override { return context_.delay.least(); }

  /// For a checkpoint, what the GPUs here wrote down together; the agents save the rest with their
  /// domains.
  void SavePiece(PieceWriter* to, RankId here) const;
  /// This rank's share of those pieces, whatever the number of ranks was. After AgentOf() of all
  /// domains and before the domains are loaded; what the agents wrote down at their beginning is
  /// forgotten.
  void LoadPieces(CheckpointPieces* from, const Communicator& world);

  ExecutionContext& context() { return context_; }
  const ExecutionContext& context() const { return context_; }
  /// GPUs of jobs here, and how many of them have finished.
  std::uint32_t gpus() const;
  std::uint32_t finished() const { return static_cast<std::uint32_t>(context_.finishes.size()); }
  /// What the GPUs here that have not finished wait for, in words: the `most` with the lowest
  /// numbers, by GPU.
  std::map<NodeId, std::string> Waiting(std::size_t most) const;
  /// Latest end of a program here.
  Time end() const;
  /// Bytes of groups and schedules.
  std::size_t schedule_memory() const;
  /// Groups, schedules, programs and collectives under way, and their records.
  void AddMemory(MemoryAccount* account) const;

 private:
  class DomainAgent;
  struct Seat {
    std::uint32_t job = kNobody, rank = 0;
  };
  static constexpr std::uint32_t kNobody = ~0U;

  const Graph& graph_;
  ExecutionContext context_;
  std::vector<Seat> seats_;  ///< by GPU
  std::vector<std::unique_ptr<DomainAgent>> agents_;
};

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_EXECUTION_FLOW_COORDINATOR_H_
