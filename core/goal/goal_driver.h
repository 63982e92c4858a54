// SPDX-License-Identifier: GPL-2.0-only
/// Schedules over a network of packets: each domain's agent runs the ranks on its GPUs, and posts
/// their messages.
///
/// A message is handed over when its send starts, and its queue pair is created one send latency
/// later. A send ends when the last byte has left for the first time; a message has arrived when
/// the transport says so (flow.completion).
///
/// The destination learns of a message up to the notice delay late. So an agent runs what happens
/// at T when the domain's clock is at T plus the notice delay and a bit, when all that has happened
/// up to T is known, and posts what follows at T plus the send latency, which is later still. No
/// time in the schedule depends on this delay.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/memory_account.h"
#include "core/goal/goal_job.h"
#include "core/goal/goal_machine.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

/// This MPI rank's part.
class GoalDriver final : public FlowDriver {
 public:
  /// `jobs` must outlive the driver. `send_latency`: from the start of a send to that of its queue
  /// pair; less than kLeastLatency counts as that.
  GoalDriver(const std::vector<GoalJob>& jobs, Time send_latency);
  ~GoalDriver() override;

  static constexpr Time kLeastLatency = NanoSeconds(10);

  /// Makes the agent of the ranks whose GPUs are among `nodes`; null if there are none.
  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  /// Returns the send latency less 2 ps, which the agent's wake takes.
  Time notice_delay() const override;
  /// Returns false: its messages belong to no collective.
  bool origins() const override { return false; }

  /// Whether a message with this cookie is of a schedule, and not of a collective.
  static bool Owns(const FlowCookie& cookie);

  /// Returns the number of operations of the ranks here.
  std::uint64_t operations() const;
  /// Returns the number of these operations that have ended.
  std::uint64_t ended() const;
  /// How far a rank is.
  struct Progress {
    std::uint32_t job = 0;  ///< index of its schedule
    GoalMachine::Progress of;
  };
  /// Returns the progress of the ranks here, in no order.
  std::vector<Progress> progress() const;
  /// Returns ranks here that have not ended, and what they wait for, at most `most`. They are
  /// numbered by rank, those of each schedule after the ones of the schedules before.
  std::vector<std::pair<std::uint32_t, std::string>> Waiting(std::size_t most) const;
  /// Adds the bytes of all agents here to Structure::kExecution.
  void AddMemory(MemoryAccount* account) const;

 private:
  class Agent;
  /// The rank on a GPU.
  struct Seat {
    static constexpr std::uint32_t kNone = ~0U;
    std::uint32_t job = kNone, rank = 0;
  };

  const std::vector<GoalJob>& jobs_;
  Time latency_;
  std::vector<Seat> seats_;             ///< by node
  std::vector<std::uint32_t> numbers_;  ///< by job: of its rank 0, for Waiting()
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace heddle
