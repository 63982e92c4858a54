// SPDX-License-Identifier: GPL-2.0-only
/// NicRouting of hosts with a NIC at each of two leaves.
#include "transport/domain/host/nic_routing.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/transport/domain/fabric_domain/one_domain.h"
#include "transport/model/nic/queue_pair.h"

namespace heddle {
namespace {

constexpr std::uint16_t kPort = 100;

/// Hosts 0 and 1, leaves 2 and 3.
Graph TwoPlanes() {
  Graph graph(2, 0, 2, 1, "NONE");
  for (std::uint32_t host = 0; host < 2; ++host) {
    for (std::uint32_t leaf = 2; leaf < 4; ++leaf) {
      graph.AddLink({NodeId(host), NodeId(leaf), BitRate{100'000'000'000}, NanoSeconds(500), 0});
    }
  }
  return graph;
}

/// The links of host 1 go down one after the other.
std::vector<LinkEvent> CutOff() {
  return {{MicroSeconds(20), LinkId(2), LinkEvent::Kind::kDown, {}},
          {MicroSeconds(30), LinkId(3), LinkEvent::Kind::kDown, {}}};
}

class NicRoutingTest : public ::testing::Test {
 protected:
  std::uint32_t Choose(std::uint16_t source_port) {
    return routing_.Choose(fabric_.node(0), NodeId(1), source_port, kPort);
  }
  std::set<std::uint32_t> Chosen() {
    std::set<std::uint32_t> chosen;
    for (std::uint16_t port = 10000; port < 10032; ++port) chosen.insert(Choose(port));
    return chosen;
  }

  testing::OneDomain fabric_{TwoPlanes(), {}, CutOff()};
  NicRouting routing_{fabric_.context(), 2};
};

TEST_F(NicRoutingTest, FlowsSpreadOverTheNics) {
  EXPECT_EQ(Chosen(), (std::set<std::uint32_t>{fabric_.PortAt(0, 0), fabric_.PortAt(0, 1)}));
  EXPECT_EQ(Choose(10000), Choose(10000));
}

TEST_F(NicRoutingTest, PortsAreNumberedWithinTheDomain) {
  const std::uint32_t port = routing_.Choose(fabric_.node(1), NodeId(0), 10000, kPort);
  EXPECT_GE(port, fabric_.PortAt(1, 0));
  EXPECT_LE(port, fabric_.PortAt(1, 1));
}

TEST_F(NicRoutingTest, FailuresLeaveOneNicAndThenNone) {
  EXPECT_EQ(routing_.Only(fabric_.node(0), NodeId(1)), QueuePair::kParked);
  routing_.UseEpoch(fabric_.context(), 1);
  EXPECT_EQ(routing_.Only(fabric_.node(0), NodeId(1)), fabric_.PortAt(0, 1));
  EXPECT_EQ(Chosen(), (std::set<std::uint32_t>{fabric_.PortAt(0, 1)}));
  routing_.UseEpoch(fabric_.context(), 2);
  EXPECT_EQ(Chosen(), (std::set<std::uint32_t>{QueuePair::kParked}));
  routing_.UseEpoch(fabric_.context(), 0);
  EXPECT_EQ(Chosen().size(), 2u);
}

}  // namespace
}  // namespace heddle
