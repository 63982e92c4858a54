// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/views/inspect/scale_up_topo.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/check.h"
#include "io/astra/astra_network.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

void ExpectSame(const ScaleUpNetwork& a, const ScaleUpNetwork& b) {
  ASSERT_EQ(a.dimensions.size(), b.dimensions.size());
  for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
    const NetworkDimension &x = a.dimensions[d], &y = b.dimensions[d];
    EXPECT_EQ(x.kind, y.kind) << d;
    EXPECT_EQ(x.size, y.size) << d;
    EXPECT_EQ(x.clockwise, y.clockwise) << d;
    EXPECT_EQ(x.anticlockwise, y.anticlockwise) << d;
    EXPECT_EQ(x.rate, y.rate) << d;
    EXPECT_EQ(x.latency, y.latency) << d;
    EXPECT_EQ(x.router_latency, y.router_latency) << d;
    EXPECT_EQ(x.level.packet_bytes, y.level.packet_bytes) << d;
    EXPECT_EQ(x.level.efficiency, y.level.efficiency) << d;
    EXPECT_EQ(x.level.flit_bytes, y.level.flit_bytes) << d;
    EXPECT_EQ(x.level.virtual_channels, y.level.virtual_channels) << d;
    EXPECT_EQ(x.level.buffer_flits, y.level.buffer_flits) << d;
  }
}

std::string RefusedTopo(const Words& words) {
  try {
    ParseScaleUpTopo(words);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ScaleUpTopo, WhatIsWrittenIsReadBack) {
  for (const Words& words :
       {Words{"HierarchicalTorus", "-dims", "2x4x8"},
        Words{"hierarchical-torus",
              "--dims=1x8x8",
              "-lbw",
              "100Gbps",
              "-pbw",
              "50Gbps",
              "-hr",
              "3",
              "-vr",
              "1",
              "-eff",
              "0.5",
              "-lp",
              "4096",
              "-fl",
              "64",
              "-buf",
              "70",
              "-vc",
              "2"},
        Words{"HierarchicalAllToAll", "-dims", "4x6", "--links", "3", "-rl", "5ns"}}) {
    const ScaleUpTopo topo = ParseScaleUpTopo(words);
    const std::string text = AstraNetworkText(topo.network);
    ExpectSame(topo.network, ParseAstraNetwork(text, "file"));
    EXPECT_EQ(AstraNetworkText(ParseAstraNetwork(text, "file")), text);
  }
}

TEST(ScaleUpTopo, DefaultsAreThoseOfThePaper) {
  const ScaleUpTopo topo = ParseScaleUpTopo({"HierarchicalTorus", "-o", "file", "--force"});
  EXPECT_EQ(topo.output, "file");
  EXPECT_TRUE(topo.force);
  EXPECT_EQ(topo.network.npus(), 32u);
  EXPECT_EQ(topo.network.dimensions[0].rate, (BitRate{1'600'000'000'000}));
  EXPECT_EQ(topo.network.dimensions[0].anticlockwise, 0u);
  EXPECT_EQ(topo.network.dimensions[1].clockwise, 2u);
  EXPECT_EQ(topo.network.dimensions[1].anticlockwise, 2u);
  EXPECT_EQ(topo.network.dimensions[2].latency, NanoSeconds(200));
}

TEST(ScaleUpTopo, MistakesNameTheirFlag) {
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-dims", "2x4"}),
            "HierarchicalTorus: 2 dimensions in 2x4 (-dims). Expected: 3: local x horizontal x "
            "vertical");
  EXPECT_EQ(RefusedTopo({"HierarchicalAllToAll", "-dims", "2x4x4"}),
            "HierarchicalAllToAll: 3 dimensions in 2x4x4 (-dims). Expected: 2: local x packages");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-dims", "1x1x1"}),
            "HierarchicalTorus: 1 NPUs in 1x1x1 (-dims). Expected: 2 to 1048576");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-lbw", "1.5Gbps"}),
            "HierarchicalTorus: local rate 1.5Gbps (-lbw). Expected: a whole number of Gbps, as "
            "network files have them");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-buf", "3"}),
            "HierarchicalTorus: buffers of 3 flits (-buf). Expected: at least 4, as a packet of "
            "512 bytes has so many");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-eff", "1.5"}),
            "HierarchicalTorus: efficiency 1.5 (-eff). Expected: above 0, at most 1");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-lr", "0"}),
            "HierarchicalTorus: 0 local rings (-lr). Expected: 1 to 1024");
  EXPECT_EQ(RefusedTopo({"HierarchicalAllToAll", "-hr", "2"}).substr(0, 17), "unknown flag hr. ");
  EXPECT_EQ(RefusedTopo({"HierarchicalTorus", "-dims"}),
            "flag -dims has no value. Expected: one in the next word");
  EXPECT_NE(RefusedTopo({"HierarchicalTorus", "-dims", "2x0x4"}), "accepted");
  EXPECT_NE(RefusedTopo({"HierarchicalTorus", "-ll", "0ns"}), "accepted");
}

TEST(ScaleUpTopo, OtherFabricsAreNotItsOwn) {
  EXPECT_TRUE(IsScaleUpTopo({"hierarchical_all_to_all"}));
  EXPECT_FALSE(IsScaleUpTopo({"torus"}));
  EXPECT_FALSE(IsScaleUpTopo({}));
}

}  // namespace
}  // namespace heddle
