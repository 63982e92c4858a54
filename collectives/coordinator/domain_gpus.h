// SPDX-License-Identifier: GPL-2.0-only
/// The GPUs of jobs in one domain, their messages by schedules, and the participations of
/// NVSwitches in their collectives: what agents of both methods share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/coordinator/known_messages.h"
#include "collectives/execution/execution_context.h"
#include "collectives/execution/gpu_execution.h"
#include "collectives/execution/participation.h"
#include "core/traffic/flow_agent.h"

namespace heddle {

class DomainGpus {
 public:
  /// Finds those of `nodes` that are GPUs of jobs. `context` and `seats`, by GPU of all domains,
  /// must outlive it.
  DomainGpus(ExecutionContext* context, const std::vector<Seat>& seats,
             const std::vector<NodeId>& nodes);

  /// Begins the programs of all GPUs; they post to `port`, which outlives this.
  void Begin(FlowPoster* port);
  /// Returns when a program asked to be woken next; Time::Max(): none did.
  Time next_wake() const { return alarms_.empty() ? Time::Max() : alarms_.begin()->first; }
  /// Returns all times at which programs are to be woken, ascending.
  std::vector<Time> wakes() const;
  /// Wakes the program that is due first; one must be.
  void Woken();

  /// Hands a message that left at `when` to its source.
  void Sent(const MessageName& name, Time when);
  /// Hands a message that arrived at `when` to its destination.
  void Received(const MessageName& name, Time when);
  /// Ends the participation of `node` in a collective carried as a whole.
  void Completed(const CollectiveName& name, NodeId node, Time when);
  /// FlowAgent::Knows() of a message of a schedule.
  bool Knows(const MessageName& name, NodeId source, NodeId destination) const;

  /// Returns the GPU at `node`; null: there is none of a job, or the node is of another domain.
  GpuExecution* Find(NodeId node) const {
    const std::uint32_t at = node.value - first_node_;  // wraps below first_node_
    return at >= index_.size() || index_[at] == Seat::kNobody ? nullptr : gpus_[index_[at]].get();
  }
  /// Returns the call of a collective by the GPU at `node`, of any domain; nothing if no job has
  /// it, or the GPU takes no part.
  std::optional<CollectiveCall> CallAt(const CollectiveName& name, NodeId node) const {
    return CallOfGpu(*context_, all_seats_, name, node);
  }
  ExecutionContext& context() const { return *context_; }          ///< of the MPI rank
  const std::vector<NodeId>& nodes() const { return gpu_nodes_; }  ///< of the GPUs, ascending
  const std::vector<std::unique_ptr<GpuExecution>>& gpus() const { return gpus_; }  ///< begun
  std::size_t memory() const;  ///< that it has allocated [byte]

  /// Writes the GPUs' states for a checkpoint.
  void SaveGpus(StateWriter* to) const;
  /// Replaces them by saved ones, after Begin(). Throws UserError "the saved state has ...".
  void LoadGpus(StateReader* from);
  /// Writes the participations of switches.
  void SaveSwitches(StateWriter* to) const;
  /// Replaces them by saved ones. Throws UserError "the saved state has ...".
  void LoadSwitches(StateReader* from);

 private:
  using SwitchKey = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t, Participant>;

  /// Notifies a sender in this domain that its message has arrived, if its program asks for that.
  void NotifySender(const MessageName& name, Time when);
  /// Whether the node is of this domain, and no GPU of a job.
  bool IsSwitchHere(NodeId node) const {
    return node.value - first_node_ < index_.size() && Find(node) == nullptr;
  }
  /// Returns the participation of a switch; a new one has begun.
  Participation& SwitchPart(const MessageName& name, Participant me);
  /// Forgets the participation of a switch, if nothing is left of it.
  void Retire(const MessageName& name, Participant me);

  ExecutionContext* context_;
  const std::vector<Seat>& all_seats_;  ///< by GPU
  FlowPoster* port_ = nullptr;
  std::uint32_t first_node_;
  std::vector<std::uint32_t> index_;  ///< by node, from first_node_ on
  std::vector<Seat> seats_;
  std::vector<NodeId> gpu_nodes_;  ///< of seats_
  std::vector<std::unique_ptr<GpuExecution>> gpus_;
  std::map<SwitchKey, Participation> switches_;
  std::set<std::pair<Time, std::uint32_t>> alarms_;  ///< when programs are woken: indices in gpus_
};

}  // namespace heddle
