// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/graph.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr BitRate kRate{400'000'000'000};

Link MakeLink(std::uint32_t a, std::uint32_t b) {
  return {NodeId(a), NodeId(b), kRate, NanoSeconds(500), 0};
}

TEST(Graph, KindsFollowTheOrderOfIds) {
  const Graph graph(2, 1, 1, 2, "H100");
  EXPECT_EQ(graph.node_count(), 4u);
  EXPECT_EQ(graph.kind(NodeId(1)), NodeKind::kGpu);
  EXPECT_EQ(graph.kind(NodeId(2)), NodeKind::kNvSwitch);
  EXPECT_EQ(graph.kind(NodeId(3)), NodeKind::kSwitch);
  EXPECT_EQ(Describe(graph, NodeId(0)), "GPU 0");
  EXPECT_EQ(Describe(graph, NodeId(2)), "NVSwitch 2");
  EXPECT_EQ(Describe(graph, NodeId(3)), "switch 3");
}

TEST(Graph, PortsOfBothEndsNameEachOther) {
  Graph graph(2, 0, 1, 1, "H100");
  graph.AddLink(MakeLink(0, 2));
  graph.AddLink(MakeLink(2, 1));
  graph.AddLink(MakeLink(1, 2));  // parallel
  ASSERT_EQ(graph.ports(NodeId(2)).size(), 3u);
  for (std::uint32_t node = 0; node < 3; ++node) {
    const auto& ports = graph.ports(NodeId(node));
    for (std::uint32_t port = 0; port < ports.size(); ++port) {
      const auto& back = graph.ports(ports[port].peer)[ports[port].peer_port.value];
      EXPECT_EQ(back.peer, NodeId(node));
      EXPECT_EQ(back.peer_port, PortId(port));
      EXPECT_EQ(back.link, ports[port].link);
    }
  }
  EXPECT_EQ(graph.ports(NodeId(2))[2].link, LinkId(2));
}

TEST(TwoSides, LayersTakeTurns) {
  // Two GPUs, each below a leaf, a spine above both, and a GPU without a cable.
  Graph graph(3, 0, 3, 1, "NONE");
  for (std::uint32_t i = 0; i < 2; ++i) {
    graph.AddLink(MakeLink(i, 3 + i));
    graph.AddLink(MakeLink(3 + i, 5));
  }
  const std::vector<DomainId> each = {DomainId(0), DomainId(1), DomainId(2),
                                      DomainId(3), DomainId(4), DomainId(5)};
  EXPECT_EQ(TwoSides(graph, each), (std::vector<std::uint8_t>{0, 0, 0, 1, 1, 0}));
  // Links within a domain do not count, so both leaves may be in one.
  const std::vector<DomainId> mixed = {DomainId(0), DomainId(1), DomainId(0),
                                       DomainId(0), DomainId(0), DomainId(2)};
  EXPECT_EQ(TwoSides(graph, mixed), (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(TwoSides(graph, std::vector<DomainId>(6, DomainId(0))), (std::vector<std::uint8_t>{0}));
}

TEST(TwoSides, ThereAreNoneWithARingOfThree) {
  Graph graph(3, 0, 3, 1, "NONE");
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.AddLink(MakeLink(i, 3 + i));
    graph.AddLink(MakeLink(3 + i, 3 + (i + 1) % 3));
  }
  std::vector<DomainId> each;
  for (std::uint32_t i = 0; i < 6; ++i) each.push_back(DomainId(i));
  EXPECT_TRUE(TwoSides(graph, each).empty());
}

TEST(Graph, RefusesBadLinks) {
  Graph graph(2, 0, 1, 1, "H100");
  EXPECT_THROW(graph.AddLink(MakeLink(0, 0)), UserError);
  EXPECT_THROW(graph.AddLink(MakeLink(0, 3)), UserError);
  EXPECT_THROW(graph.AddLink({NodeId(0), NodeId(2), BitRate{0}, Time{0}, 0}), UserError);
  EXPECT_THROW(graph.AddLink({NodeId(0), NodeId(2), kRate, Time{-1}, 0}), UserError);
  EXPECT_THROW(graph.AddLink({NodeId(0), NodeId(2), kRate, Time{0}, 1.0}), UserError);
  EXPECT_THROW(graph.AddLink({NodeId(0), NodeId(2), kRate, Time{0}, -0.1}), UserError);
  EXPECT_TRUE(graph.links().empty());
  EXPECT_TRUE(graph.ports(NodeId(0)).empty());
}

TEST(Graph, RefusesAbsurdSizes) {
  EXPECT_THROW(Graph(2, 0, 0, 0, "H100"), UserError);
  EXPECT_THROW(Graph(kMaxNodes, 1, 0, 8, "H100"), UserError);
  EXPECT_THROW(Graph(4'000'000'000u, 4'000'000'000u, 0, 8, "H100"), UserError);
}

TEST(Graph, BoundsThePortsOfANode) {
  Graph graph(2, 0, 0, 1, "H100");
  for (std::uint32_t i = 0; i < kMaxPorts; ++i) {
    graph.AddLink(MakeLink(0, 1));
  }
  EXPECT_THROW(graph.AddLink(MakeLink(0, 1)), UserError);
}

}  // namespace
}  // namespace heddle
