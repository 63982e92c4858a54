// SPDX-License-Identifier: GPL-2.0-only
/// The posts that a trace becomes, without a simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/traffic/trace_driver.h"

namespace heddle::testing {

/// By the time when they ask; at equal times by source, then in the file's order.
inline std::vector<FlowPost> PostsOf(const std::vector<FlowRequest>& flows,
                                     const MessageSplit& split = {}, Time send_latency = {}) {
  std::uint32_t nodes = 0;
  for (const FlowRequest& flow : flows) nodes = std::max(nodes, flow.source.value + 1);
  std::vector<NodeId> sources;
  for (std::uint32_t node = 0; node < nodes; ++node) sources.push_back(NodeId(node));
  TraceDriver driver(flows, split, send_latency);
  std::vector<FlowPost> posts;
  if (FlowAgent* agent = driver.AgentOf(DomainId(0), sources)) agent->AddUnposted(&posts);
  return posts;
}

}  // namespace heddle::testing
