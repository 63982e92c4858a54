// SPDX-License-Identifier: GPL-2.0-only
/// The graph's routing policy in whole runs: packets and ACKs follow its routes.
#include <gtest/gtest.h>

#include "tests/support/small_fabric.h"
#include "tests/support/test_routing.h"

namespace heddle::testing {
namespace {

/// GPU 0 at switch 2, GPU 1 at switch 3; between them a cable, and switch 4 with two.
Graph Triangle() {
  Graph graph(2, 0, 3, 1, "X");
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    graph.AddLink({NodeId(a), NodeId(b), BitRate{100 * kG}, PicoSeconds(kMicro)});
  };
  link(0, 2);
  link(1, 3);
  link(2, 3);
  link(2, 4);
  link(3, 4);
  return graph;
}

TEST(RoutingPolicy, PacketsTakeALongerWayIfItSaysSo) {
  const std::vector<FlowRequest> flows = {Flow(0, 1, 9000), Flow(1, 0, 9000, 3, 100 * kMicro)};
  Graph graph = Triangle();
  const Observed shortest = Simulate(graph, flows, Unlimited());
  graph.SetRouting(std::make_shared<const OneNextNode>([](NodeId node, NodeId gpu) {
    const NodeId first(gpu.value == 1 ? 2 : 3), last(gpu.value == 1 ? 3 : 2);
    return node == first ? NodeId(4) : node == NodeId(4) ? last : node == last ? gpu : first;
  }));
  const Observed longer = Simulate(graph, flows, Unlimited());
  for (std::size_t flow = 0; flow < 2; ++flow) {
    // One packet over three links, and its ACK back; four links each with the detour.
    EXPECT_EQ(Fct(shortest, flow), 3 * (kTx + kAckTx + 2 * kMicro));
    EXPECT_EQ(Fct(longer, flow), 4 * (kTx + kAckTx + 2 * kMicro));
  }
  EXPECT_TRUE(AllFinished(longer));
}

}  // namespace
}  // namespace heddle::testing
