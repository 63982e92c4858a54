// SPDX-License-Identifier: GPL-2.0-only
/// Two drivers in one run: jobs of collectives beside schedules, each on hosts of its own. An agent
/// of a domain hands each call to that driver's agent which the message belongs to.
///
/// Left out: collectives of domains where both have hosts are not replayed whole.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/traffic/flow_agent.h"

namespace heddle {

/// This MPI rank's part.
class JointDriver final : public FlowDriver {
 public:
  /// Says whether a message with this cookie is of the second driver.
  using IsOfSecond = bool (*)(const FlowCookie&);

  /// Both must outlive it. The first one may have collectives, streams and contents, the second
  /// only messages.
  JointDriver(FlowDriver* first, FlowDriver* second, IsOfSecond is_of_second);
  ~JointDriver() override;

  /// Makes the agents of both; returns the only one, if one has none there.
  FlowAgent* AgentOf(DomainId domain, const std::vector<NodeId>& nodes) override;
  Time notice_delay() const override;  ///< the lesser of both
  bool neighbours_only() const override {
    return first_->neighbours_only() && second_->neighbours_only();
  }
  std::string WaitsFor() const override;  ///< of the first one that waits
  MessageContents* contents() override { return first_->contents(); }
  bool origins() const override { return first_->origins() || second_->origins(); }

 private:
  class Agent;

  FlowDriver* first_;
  FlowDriver* second_;
  IsOfSecond is_of_second_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace heddle
