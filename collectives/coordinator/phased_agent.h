// SPDX-License-Identifier: GPL-2.0-only
/// The agent of a domain whose collectives are in phases: the scheduler of chunks carries them,
/// while messages between two ranks go by their schedules.
///
/// Cookies are names of either kind. A chunk's has 0 (PhasedName::unused) where a message's has its
/// connection, which is not 0 between two ranks.
#pragma once

#include <memory>
#include <vector>

#include "collectives/coordinator/collective_agent.h"
#include "collectives/coordinator/domain_gpus.h"
#include "collectives/coordinator/phased_port.h"
#include "collectives/phased/phase_plan.h"

namespace heddle {

class PhasedAgent final : public CollectiveAgent {
 public:
  /// `planner` must outlive it; the others as DomainGpus's.
  PhasedAgent(const PhasePlanner& planner, ExecutionContext* context,
              const std::vector<Seat>& seats, const std::vector<NodeId>& nodes)
      : planner_(planner), gpus_(context, seats, nodes) {}

  const DomainGpus& gpus() const override { return gpus_; }
  void AddStands(std::vector<ChunkStand>* to) const override { scheduler().AddStands(to); }
  std::size_t memory() const override {
    return sizeof(*this) + gpus_.memory() + scheduler().memory();
  }

  // FlowAgent.
  void Begin(FlowPoster* port) override;
  void Woken() override;
  void Sent(const FlowCookie& cookie, Time when) override;
  void Received(const FlowCookie& cookie, Time when) override;
  void Completed(const CollectiveName& name, NodeId node, Time when) override {
    gpus_.Completed(name, node, when);
  }
  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override;
  bool Awaits(const std::vector<Time>& wakes) const override;
  void Save(StateWriter* to) const override;
  void Load(StateReader* from) override;

 private:
  /// Whether the message is a chunk's.
  static bool IsOfChunk(const FlowCookie& cookie);
  /// FlowAgent::Knows() of a chunk's message.
  bool KnowsChunk(const PhasedName& name, NodeId source, NodeId destination) const;
  ChunkScheduler& scheduler() { return port_->scheduler(); }
  const ChunkScheduler& scheduler() const { return port_->scheduler(); }

  const PhasePlanner& planner_;
  DomainGpus gpus_;
  std::unique_ptr<PhasedPort> port_;  ///< after Begin()
};

}  // namespace heddle
