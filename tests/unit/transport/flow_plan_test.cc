// SPDX-License-Identifier: GPL-2.0-only
#include "transport/nic/flow_plan.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/support/message_of.h"
#include "transport/fabric/fabric.h"

namespace heddle {
namespace {

FlowRequest Flow(std::uint32_t from, std::uint32_t to) {
  FlowRequest flow;
  flow.source = NodeId(from);
  flow.destination = NodeId(to);
  flow.size = Bytes{1};
  return flow;
}

TEST(PlanFlows, NumbersBySourceAndPortsByPair) {
  const auto plan =
      PlanFlows({Flow(1, 2), Flow(1, 3), Flow(2, 1), Flow(1, 2), Flow(1, 3), Flow(2, 1)});
  const std::vector<std::uint32_t> numbers = {0, 1, 0, 2, 3, 1};
  const std::vector<std::uint16_t> ports = {10000, 10000, 10000, 10001, 10001, 10001};
  ASSERT_EQ(plan.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(plan[i].id, (FlowId{plan[i].request.source, numbers[i]}));
    EXPECT_EQ(plan[i].source_port, ports[i]);
  }
  EXPECT_EQ(plan[3].request.destination, NodeId(2));
}

TEST(PlanFlows, PortIsASixteenBitCounter) {
  const auto plan = PlanFlows(std::vector<FlowRequest>(65536 + 3, Flow(0, 1)));
  EXPECT_EQ(plan[65535 - 10000].source_port, 65535);
  EXPECT_EQ(plan[65536 - 10000].source_port, 0);
  EXPECT_EQ(plan[65536].source_port, 10000);
  EXPECT_EQ(plan[65536].id.number, 65536U);
}

TEST(RequestOf, CountsRequestsNotQueuePairs) {
  std::vector<FlowRequest> requests = {Flow(1, 2), Flow(1, 2), Flow(2, 1), Flow(1, 3), Flow(2, 1)};
  const std::vector<std::int64_t> sizes = {10, 2, 1, 400, 4};  // in 4, 2, 1, 4 and 4 parts
  for (std::size_t i = 0; i < sizes.size(); ++i) requests[i].size = Bytes{sizes[i]};
  const auto plan = PlanFlows(requests, 4);
  const std::vector<std::size_t> expected = {1, 1, 1, 1, 2, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5};
  ASSERT_EQ(plan.size(), expected.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const PlannedRequest request = RequestOf(plan, i);
    EXPECT_EQ(request.number, expected[i]) << i;
    EXPECT_EQ(request.size.count, sizes[expected[i] - 1]) << i;
  }
}

/// What planning says in a fabric of two parts: GPUs 0 and 1 at switch 4, GPU 2 at NVSwitch 3.
std::string RefusalOf(const std::vector<FlowRequest>& requests, std::int64_t queue_pairs) {
  Graph graph(3, 1, 1, 3, "H100");
  for (const auto& [a, b] : {std::pair(0U, 4U), {1U, 4U}, {2U, 3U}}) {
    graph.AddLink({NodeId(a), NodeId(b), {100'000'000'000}, NanoSeconds(500), 0});
  }
  const std::vector<NodeId> nodes = {NodeId(0), NodeId(1), NodeId(2), NodeId(3), NodeId(4)};
  Fabric fabric(graph, {}, {std::vector<DomainId>(nodes.size(), DomainId(0)), {nodes}, {RankId(0)}},
                RankId(0), 1);
  return MessageOf([&] { fabric.Plan(PlanFlows(requests, queue_pairs)); });
}

TEST(Fabric, RefusalsNameTheFlowOfTheInput) {
  std::vector<FlowRequest> requests = {Flow(0, 1), Flow(0, 1), Flow(1, 3)};
  for (FlowRequest& request : requests) request.size = Bytes{1000};
  EXPECT_EQ(RefusalOf(requests, 4),
            "flow 3 of the input, from GPU 1 to NVSwitch 3: the topology has no path between them");
  std::swap(requests[2].source, requests[2].destination);
  EXPECT_EQ(RefusalOf(requests, 1),
            "flow 3 of the input, from NVSwitch 3 to GPU 1: the topology has no path between them");
  requests[1].size = Bytes{4 * kMaxFlowBytes + 1};
  EXPECT_EQ(RefusalOf(requests, 1),
            "flow 2 of the input has 4398046248961 bytes; at most 1099511562240 can be sent on one "
            "queue pair");
  EXPECT_EQ(
      RefusalOf(requests, 4),
      "flow 2 of the input has 4398046248961 bytes, 1099511562241 on each queue pair; at most "
      "1099511562240 can be sent on one queue pair");
}

}  // namespace
}  // namespace heddle
