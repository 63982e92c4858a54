// SPDX-License-Identifier: GPL-2.0-only
#include "transport/nic/flow_plan.h"

#include <algorithm>
#include <unordered_map>

namespace heddle {
namespace {
constexpr std::uint16_t kFirstSourcePort = 10000;
}  // namespace

std::vector<PlannedFlow> PlanFlows(const std::vector<FlowRequest>& requests,
                                   std::int64_t queue_pairs) {
  std::vector<PlannedFlow> plan;
  plan.reserve(requests.size());
  std::unordered_map<NodeId, std::uint32_t> flows_of_source, messages_of_source;
  std::unordered_map<std::uint64_t, std::uint16_t> flows_of_pair;
  for (const FlowRequest& request : requests) {
    const std::uint64_t pair =
        (static_cast<std::uint64_t>(request.source.value) << 32) | request.destination.value;
    const std::uint32_t message = messages_of_source[request.source]++;
    const std::int64_t part = (request.size.count + queue_pairs - 1) / queue_pairs;
    for (std::int64_t sent = 0; sent < request.size.count; sent += part) {
      PlannedFlow flow;
      flow.id = {request.source, flows_of_source[request.source]++};
      flow.request = request;
      flow.request.size = Bytes{std::min(part, request.size.count - sent)};
      flow.source_port = static_cast<std::uint16_t>(kFirstSourcePort + flows_of_pair[pair]++);
      flow.message = message;
      plan.push_back(flow);
    }
  }
  return plan;
}

PlannedRequest RequestOf(const std::vector<PlannedFlow>& plan, std::size_t flow) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return plan[i].id.source == plan[j].id.source && plan[i].message == plan[j].message;
  };
  PlannedRequest request;
  for (std::size_t i = 0; i < plan.size() && (i <= flow || same(i, flow)); ++i) {
    if (i == 0 || !same(i, i - 1)) request = {request.number + 1, Bytes{0}};
    request.size += plan[i].request.size;
  }
  return request;
}

}  // namespace heddle
