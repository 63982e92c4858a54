// SPDX-License-Identifier: GPL-2.0-only
/// The agent of a domain whose collectives are messages of schedules: every message that arrives is
/// handed to its GPU or NVSwitch, which posts what it enables. Collectives of one server can be
/// replayed whole.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/coordinator/collective_agent.h"
#include "collectives/coordinator/domain_gpus.h"
#include "core/traffic/whole_collectives.h"

namespace heddle {

class ScheduleAgent final : public CollectiveAgent, private WholeCollectives {
 public:
  /// Arguments as DomainGpus's.
  ScheduleAgent(ExecutionContext* context, const std::vector<Seat>& seats,
                const std::vector<NodeId>& nodes)
      : gpus_(context, seats, nodes) {}

  const DomainGpus& gpus() const override { return gpus_; }
  std::size_t memory() const override { return sizeof(*this) + gpus_.memory(); }

  // FlowAgent.
  void Begin(FlowPoster* port) override { gpus_.Begin(port); }
  void Woken() override { gpus_.Woken(); }
  void Sent(const FlowCookie& cookie, Time when) override {
    gpus_.Sent(cookie.As<MessageName>(), when);
  }
  void Received(const FlowCookie& cookie, Time when) override {
    gpus_.Received(cookie.As<MessageName>(), when);
  }
  StreamName Begun(const FlowCookie& cookie, Time when) override;
  void Completed(const CollectiveName& name, NodeId node, Time when) override {
    gpus_.Completed(name, node, when);
  }
  WholeCollectives* whole() override;
  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    return gpus_.Knows(cookie.As<MessageName>(), source, destination);
  }
  bool Awaits(const std::vector<Time>& wakes) const override { return wakes == gpus_.wakes(); }
  void Save(StateWriter* to) const override;
  void Load(StateReader* from) override;

 private:
  // WholeCollectives.
  CollectiveName CollectiveOf(const FlowCookie& cookie) const override;
  std::vector<NodeId> MembersOf(const CollectiveName& name) override;
  bool AddState(const CollectiveName& name, Time origin,
                std::vector<std::uint64_t>* words) override;
  void EndWhole(const CollectiveName& name, NodeId node, Time when) override;
  void ForgetWhole(const CollectiveName& name) override;
  void TakeBackEnds(const CollectiveName& name) override;

  /// Returns the plan of a collective that a job has.
  const PlannedCollective& PlannedOf(const CollectiveName& name) const {
    return gpus_.context().jobs[name.job]->Collective(name.operation, name.group);
  }
  /// Returns the runner of a rank, whose GPU is of this domain.
  CollectiveRunner& RunnerOf(const GroupShape& shape, Participant rank) const {
    return gpus_.Find(shape.node(rank))->runner();
  }

  DomainGpus gpus_;
};

}  // namespace heddle
