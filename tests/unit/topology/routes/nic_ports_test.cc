// SPDX-License-Identifier: GPL-2.0-only
/// How GPUs choose among several ports.
#include "topology/routes/nic_ports.h"

#include <gtest/gtest.h>

#include <set>

#include "core/options/enum_words.h"
#include "tests/support/message_of.h"
#include "topology/leaf_spine/leaf_spine.h"
#include "topology/paths/path_tracer.h"
#include "topology/routes/ecmp_hash.h"

namespace heddle {
namespace {

constexpr std::uint32_t kPerServer = 8;

std::size_t Choose(std::uint32_t from, std::uint32_t to, std::uint16_t source_port,
                   std::size_t count = 2) {
  return ChooseNicPort(NicPorts::kRoundRobin, kPerServer,
                       {NodeId(from), NodeId(to), source_port, 100}, count);
}

TEST(NicPorts, HashIsSimais) {
  for (std::uint16_t port = 10000; port < 10100; ++port) {
    EXPECT_EQ(ChooseNicPort(NicPorts::kHash, kPerServer, {NodeId(3), NodeId(17), port, 100}, 2),
              EcmpHash(MakeFlowKey(NodeId(3), NodeId(17), port, 100), kNicHashSeed) % 2);
  }
}

TEST(NicPorts, FlowsOfAPairTakeTurns) {
  for (const std::size_t count : {2U, 3U, 4U}) {
    for (std::uint16_t port = 10000; port < 10020; ++port)
      EXPECT_EQ(Choose(0, 8, static_cast<std::uint16_t>(port + 1), count),
                (Choose(0, 8, port, count) + 1) % count);
  }
}

TEST(NicPorts, FirstFlowsToNeighboursAndFromThemTakeTurnsToo) {
  for (std::uint32_t server = 1; server < 8; ++server) {  // along a rail
    EXPECT_NE(Choose(0, server * kPerServer, 10000), Choose(0, (server + 1) * kPerServer, 10000));
    EXPECT_NE(Choose(server * kPerServer, 0, 10000), Choose((server + 1) * kPerServer, 0, 10000));
  }
  for (std::uint32_t gpu = 8; gpu < 15; ++gpu)  // to the GPUs of a server
    EXPECT_NE(Choose(0, gpu, 10000), Choose(0, gpu + 1, 10000));
}

TEST(NicPorts, AnAckTakesThePortOfItsData) {
  for (std::uint16_t port = 10000; port < 10010; ++port) {
    EXPECT_EQ(Choose(1, 9, port), ChooseNicPort(NicPorts::kRoundRobin, kPerServer,
                                                {NodeId(9), NodeId(1), 100, port}, 2));
  }
}

TEST(NicPorts, PathsOfRoundRobinUseBothPlanes) {
  LeafSpineOptions options = FindTemplate("AlibabaHPN-DualPlane").defaults;
  options.gpus = 32;
  const Graph graph = Generate("AlibabaHPN-DualPlane", options);
  const Routes routes(graph, NicPorts::kRoundRobin);
  EXPECT_EQ(routes.nic_ports(), NicPorts::kRoundRobin);
  EXPECT_EQ(Routes(graph).nic_ports(), NicPorts::kHash);
  Routes::Change change;
  EXPECT_EQ(routes.WithDown({LinkId(0)}, &change).nic_ports(), NicPorts::kRoundRobin);
  const auto leaf = [&](std::uint16_t port) {
    return NodesEntered(graph, TracePath(graph, routes, NodeId(0), NodeId(8), port, 100))[0];
  };
  for (std::uint16_t port = 10000; port < 10010; ++port) {
    EXPECT_NE(leaf(port), leaf(static_cast<std::uint16_t>(port + 1)));
    EXPECT_EQ(leaf(port), leaf(static_cast<std::uint16_t>(port + 2)));
  }
}

TEST(NicPorts, WordsAreThoseOfTheOption) {
  for (const std::string& word : AllWords<NicPorts>()) EXPECT_EQ(ToText(ParseNicPorts(word)), word);
  EXPECT_EQ(MessageOf([] { ParseNicPorts("both"); }),
            "nic.ports \"both\". Expected: hash or round-robin");
}

TEST(NoWay, NamesTheRailMate) {
  LeafSpineOptions options = FindTemplate("Spectrum-X").defaults;
  options.gpus = 16;
  options.spine_switches = 0;
  const Graph rails = Generate("Spectrum-X", options);
  const Routes routes(rails);
  EXPECT_EQ(DescribeNoPath(rails, routes, NodeId(0), NodeId(9)),
            "no way from server 0 / GPU 0 to server 1 / GPU 1, but by NVLink to server 0 / GPU 1 "
            "and on from there (the fabric is rail-only)");
  options.nvswitches_per_server = 0;
  const Graph apart = Generate("Spectrum-X", options);
  EXPECT_EQ(DescribeNoPath(apart, Routes(apart), NodeId(0), NodeId(9)),
            "no way from server 0 / GPU 0 to server 1 / GPU 1");
}

}  // namespace
}  // namespace heddle
