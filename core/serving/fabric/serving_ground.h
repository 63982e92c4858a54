// SPDX-License-Identifier: GPL-2.0-only
/// What all agents of a serving run know: the plan, the requests, and which GPUs are in one domain.
#pragma once

#include <cstdint>
#include <vector>

#include "core/serving/serving_instance.h"

namespace heddle {

struct ServingGround {
  const ServingPlan& plan;
  const ServingRequests& requests;
  Time latency;                         ///< from the hand-over of a message to its queue pair
  std::vector<std::uint32_t> group_of;  ///< by GPU; those of one group are in one domain

  /// The least time between a completion and what follows: the latency less 2 ps, which the agent's
  /// wake takes.
  Time notice_delay() const { return latency - PicoSeconds(2); }
  /// Whether two GPUs are in one group, and so in one domain, whatever the division.
  bool Near(NodeId a, NodeId b) const { return group_of[a.value] == group_of[b.value]; }
  NodeId FirstOf(std::uint32_t instance) const { return plan.instances[instance].gpus[0]; }
  /// The GPU of an instance at a place of its step's layout.
  NodeId GpuAt(std::uint32_t instance, std::uint32_t group, std::uint32_t member) const {
    const InstancePlan& of = plan.instances[instance];
    return of.gpus[of.collectives.layout().RankAt(group, member)];
  }
  KvShare ShareOf(const ServingMessage& message) const {
    return plan.SharesOf(message.from, message.to)[message.share];
  }
  /// The GPUs that send and receive a share of KV.
  NodeId SourceOf(const ServingMessage& message) const {
    return plan.instances[message.from].gpus[ShareOf(message).from];
  }
  NodeId DestinationOf(const ServingMessage& message) const {
    return plan.instances[message.to].gpus[ShareOf(message).to];
  }
};

}  // namespace heddle
