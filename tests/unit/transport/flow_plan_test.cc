// SPDX-License-Identifier: GPL-2.0-only
#include "transport/flow_plan.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heddle
