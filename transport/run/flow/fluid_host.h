// SPDX-License-Identifier: GPL-2.0-only
/// The hosts of one domain in a run of fluids: their agent, whose posts go to the fluids
/// (fluid_domain.h), and which hears from there what has left and arrived.
///
/// Invariant: a post reaches the fluids no later than it starts there, as they are computed one
/// FluidRun::lag late.
#pragma once

#include <vector>

#include "core/base/memory_account.h"
#include "core/events/domain.h"
#include "core/traffic/flow_agent.h"
#include "transport/run/flow/fluid_run.h"

namespace heddle {

class FluidHost final : public Domain, public FlowPoster {
 public:
  /// `run` must outlive the domain.
  FluidHost(DomainId id, const FluidRun* run) : Domain(id), run_(*run) {}

  /// `agent`: null if no host here has a program. It must outlive the domain.
  void Attach(FlowAgent* agent);
  FlowAgent* agent() const { return agent_; }

  void RunUntil(Time end) override;
  void AddMemory(MemoryAccount* account) const { AddBaseMemory(account); }

  // FlowPoster.
  void Post(const FlowPost& flow) override;
  Time Now() const override { return now_; }
  void WakeAt(Time when) override;

  /// Adds the posts that the fluids do not know yet.
  void AddPosted(std::vector<FlowPost>* posts) const;

  // For checkpoints, at a cut. What is loaded is checked: ExpectState().
  void Save(StateWriter* to) const;
  void Load(StateReader* from);

 private:
  void Send(const FlowPost& flow);
  void RunEvent(const Event& event);
  void CheckEvent(const Event& event) const;

  const FluidRun& run_;
  FlowAgent* agent_ = nullptr;
  bool running_ = false;
  Time now_;
};

}  // namespace heddle
