// SPDX-License-Identifier: GPL-2.0-only
#include "topology/scale_up/scale_up_network.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/check.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle {
namespace {

using testing::Loop;
using testing::Mesh;
using testing::ScaleUpFabric;
using testing::Switched;

TEST(ScaleUpNetwork, HasACableForEachRingAndNode) {
  // 4 x 4 x 4 with two local rings and two rings of both directions in the others.
  const Graph graph = ScaleUpFabric({Loop(4, 2), Loop(4, 2, 2), Loop(4, 2, 2)});
  EXPECT_EQ(graph.gpu_count(), 64u);
  EXPECT_EQ(graph.gpus_per_server(), 4u);
  EXPECT_EQ(graph.links().size(), 64u * 6);
  EXPECT_EQ(graph.ports(NodeId(7)).size(), 12u);
  // 200 ns and a router at both ends.
  EXPECT_EQ(graph.link(LinkId(0)).delay, NanoSeconds(202));
  EXPECT_EQ(graph.link(LinkId(0)).layer, 1);
  EXPECT_EQ(graph.link(LinkId(64 * 6 - 1)).layer, 3);
}

TEST(ScaleUpNetwork, LinesOfOneNodeHaveNoCables) {
  const Graph graph = ScaleUpFabric({Loop(1, 2), Loop(8, 2, 2), Loop(1, 1)});
  EXPECT_EQ(graph.links().size(), 16u);
  EXPECT_EQ(graph.gpus_per_server(), 1u);
}

TEST(ScaleUpNetwork, SwitchesJoinALine) {
  const Graph graph = ScaleUpFabric({Loop(2, 1), Switched(4, 3)});
  EXPECT_EQ(graph.switch_count(), 6u);
  EXPECT_EQ(graph.ports(NodeId(8)).size(), 4u);
  EXPECT_EQ(graph.link(graph.ports(NodeId(8))[0].link).delay, NanoSeconds(201));
  const Graph local = ScaleUpFabric({Switched(4, 3)});
  EXPECT_EQ(local.nvswitch_count(), 3u);
  const Graph mesh = ScaleUpFabric({Mesh(4, 2)});
  EXPECT_EQ(mesh.links().size(), 12u);
}

TEST(ScaleUpNetwork, WhatMakesNoFabricIsRefused) {
  const auto refusal = [](const std::function<void(NetworkDimension*)>& spoil) {
    NetworkDimension dimension = Loop(4, 1);
    spoil(&dimension);
    try {
      ScaleUpFabric({Loop(2, 1), dimension});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->clockwise = 0; }),
            "dimension 1: no lanes. Expected: at least 1");
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->size = 0; }),
            "dimension 1: no NPUs. Expected: at least 1");
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->level.packet_bytes = 524289; }),
            "dimension 1: packets of 524289 bytes. Expected: 1 to 2^19");
  EXPECT_NE(refusal([](NetworkDimension* d) {
              d->level.efficiency = 1e-9;
            }).find("dimension 1: an efficiency of 1e-09 at 200000000000 bps"),
            std::string::npos);
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->level.efficiency = 0; }),
            "dimension 1: an efficiency of 0. Expected: above 0, at most 1");
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->level.packet_bytes = 0; }),
            "dimension 1: packets of 0 bytes. Expected: 1 to 2^19");
  EXPECT_EQ(refusal([](NetworkDimension* d) { d->level.virtual_channels = 256; }),
            "dimension 1: 256 virtual channels. Expected: 1 to 255");
  EXPECT_NE(refusal([](NetworkDimension* d) { d->size = 3'000'000'000; }).find("too many NPUs"),
            std::string::npos);
  EXPECT_NE(refusal([](NetworkDimension* d) { d->rate = BitRate{5}; }).find("a rate of 5 bps"),
            std::string::npos);
  EXPECT_THROW(ScaleUpFabric({}), UserError);
}

}  // namespace
}  // namespace heddle
