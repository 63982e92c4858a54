// SPDX-License-Identifier: GPL-2.0-only
/// A driver that posts a list of messages between neighbours of a scale-up fabric, each on its
/// lane.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/traffic/flow_agent.h"

namespace heddle::testing {

inline FlowPost LanePost(std::uint32_t from, std::uint32_t to, std::uint16_t lane,
                         std::int64_t size, std::int64_t start_ps = 0) {
  FlowPost post;
  post.source = NodeId(from);
  post.destination = NodeId(to);
  post.lane = lane;
  post.size = size;
  post.start = post.asked = PicoSeconds(start_ps);
  return post;
}

class LaneDriver final : public FlowDriver {
 public:
  explicit LaneDriver(std::vector<FlowPost> posts, bool neighbours_only = true)
      : posts_(std::move(posts)), neighbours_only_(neighbours_only) {}

  FlowAgent* AgentOf(DomainId, const std::vector<NodeId>& nodes) override {
    agents_.push_back(std::make_unique<Agent>(posts_, nodes));
    return agents_.back().get();
  }
  Time notice_delay() const override { return NanoSeconds(10); }
  bool neighbours_only() const override { return neighbours_only_; }
  /// Times at which messages were received, summed.
  Time received() const {
    Time sum;
    for (const auto& agent : agents_) sum += agent->received;
    return sum;
  }

 private:
  struct Agent final : FlowAgent {
    Agent(const std::vector<FlowPost>& all, const std::vector<NodeId>& here)
        : posts(all), nodes(here) {}
    void Begin(FlowPoster* port) override {
      for (const FlowPost& post : posts) {
        if (std::find(nodes.begin(), nodes.end(), post.source) != nodes.end()) port->Post(post);
      }
    }
    void Sent(const FlowCookie&, Time) override {}
    void Received(const FlowCookie&, Time when) override { received += when; }
    void Save(StateWriter*) const override {}
    void Load(StateReader*) override {}

    const std::vector<FlowPost>& posts;
    std::vector<NodeId> nodes;
    Time received;
  };

  std::vector<FlowPost> posts_;
  bool neighbours_only_;
  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace heddle::testing
