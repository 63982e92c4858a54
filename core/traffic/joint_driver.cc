// SPDX-License-Identifier: GPL-2.0-only
#include "core/traffic/joint_driver.h"

#include <algorithm>
#include <boost/serialization/utility.hpp>
#include <boost/serialization/vector.hpp>
#include <set>
#include <utility>

#include "core/checkpoint/state_archive.h"
#include "core/containers/state_count.h"

namespace heddle {

/// The agents of both drivers in one domain.
class JointDriver::Agent final : public FlowAgent {
 public:
  Agent(FlowAgent* first, FlowAgent* second, IsOfSecond is_of_second)
      : sides_{{this, first, 0}, {this, second, 1}}, is_of_second_(is_of_second) {}

  void Begin(FlowPoster* port) override {
    port_ = port;
    for (Side& side : sides_) side.agent->Begin(&side);
  }

  void Woken() override {
    const std::uint32_t side = wakes_.begin()->second;
    wakes_.erase(wakes_.begin());
    sides_[side].agent->Woken();
  }

  void AddUnposted(std::vector<FlowPost>* flows) const override {
    for (const Side& side : sides_) side.agent->AddUnposted(flows);
  }
  void Sent(const FlowCookie& cookie, Time when) override { AgentFor(cookie).Sent(cookie, when); }
  void Received(const FlowCookie& cookie, Time when) override {
    AgentFor(cookie).Received(cookie, when);
  }
  StreamName Begun(const FlowCookie& cookie, Time when) override {
    return AgentFor(cookie).Begun(cookie, when);
  }
  void Completed(const CollectiveName& name, NodeId node, Time when) override {
    sides_[0].agent->Completed(name, node, when);
  }
  bool Knows(const FlowCookie& cookie, NodeId source, NodeId destination) const override {
    return AgentFor(cookie).Knows(cookie, source, destination);
  }

  bool Awaits(const std::vector<Time>& wakes) const override {
    if (wakes.size() != wakes_.size()) return false;
    std::vector<Time> own[2];
    std::size_t i = 0;
    for (const auto& [when, side] : wakes_) {
      if (wakes[i++] != when) return false;
      own[side].push_back(when);
    }
    return sides_[0].agent->Awaits(own[0]) && sides_[1].agent->Awaits(own[1]);
  }

  void Save(StateWriter* to) const override {
    const std::vector<std::pair<Time, std::uint32_t>> wakes(wakes_.begin(), wakes_.end());
    *to << wakes;
    for (const Side& side : sides_) side.agent->Save(to);
  }
  void Load(StateReader* from) override {
    std::vector<std::pair<Time, std::uint32_t>> wakes;
    *from >> wakes;
    for (const auto& [when, side] : wakes) ExpectState(side < 2, "a wake of no agent");
    wakes_ = {wakes.begin(), wakes.end()};
    for (const Side& side : sides_) side.agent->Load(from);
  }

 private:
  /// One of the two, and the transport as it sees it.
  struct Side final : FlowPoster {
    Side(Agent* of_joint, FlowAgent* of_agent, std::uint32_t of_number)
        : joint(of_joint), agent(of_agent), number(of_number) {}
    void Post(const FlowPost& flow) override { joint->port_->Post(flow); }
    void PostSlice(const FlowPost& flow, const MessageSlice& slice) override {
      joint->port_->PostSlice(flow, slice);
    }
    Time Now() const override { return joint->port_->Now(); }
    void WakeAt(Time when) override {
      joint->wakes_.emplace(when, number);
      joint->port_->WakeAt(when);
    }
    CollectiveCarrier* collectives() override {
      return number == 0 ? joint->port_->collectives() : nullptr;
    }
    void ParticipationEnded(const CollectiveName& name, NodeId node, Time when) override {
      joint->port_->ParticipationEnded(name, node, when);
    }

    Agent* joint;
    FlowAgent* agent;
    std::uint32_t number;
  };

  FlowAgent& AgentFor(const FlowCookie& cookie) const {
    return *sides_[is_of_second_(cookie) ? 1 : 0].agent;
  }

  Side sides_[2];
  IsOfSecond is_of_second_;
  FlowPoster* port_ = nullptr;
  std::multiset<std::pair<Time, std::uint32_t>> wakes_;  ///< asked for and not yet come, and whose
};

JointDriver::JointDriver(FlowDriver* first, FlowDriver* second, IsOfSecond is_of_second)
    : first_(first), second_(second), is_of_second_(is_of_second) {}

JointDriver::~JointDriver() = default;

FlowAgent* JointDriver::AgentOf(DomainId domain, const std::vector<NodeId>& nodes) {
  FlowAgent* first = first_->AgentOf(domain, nodes);
  FlowAgent* second = second_->AgentOf(domain, nodes);
  if (first == nullptr || second == nullptr) return first != nullptr ? first : second;
  agents_.push_back(std::make_unique<Agent>(first, second, is_of_second_));
  return agents_.back().get();
}

Time JointDriver::notice_delay() const {
  return std::min(first_->notice_delay(), second_->notice_delay());
}

std::string JointDriver::WaitsFor() const {
  std::string text = first_->WaitsFor();
  return text.empty() ? second_->WaitsFor() : text;
}

}  // namespace heddle
