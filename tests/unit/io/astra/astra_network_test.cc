// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra_network.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"

namespace heddle {
namespace {

const std::string kTorus =
    "num-npus: 24\nnum-packages: 12\npackage-rows: 3 \ntopology: Torus3D\nlocal-rings: 2\n"
    "vertical-rings: 1\nhorizontal-rings: 3\nflit-width: 1024\nlocal-packet-size: 512\n"
    "package-packet-size: 256\ntile-link-width: 1600\npackage-link-width: 200\nvcs-per-vnet: 50\n"
    "routing-algorithm: Ring_XY\nrouter-latency: 1\nlocal-link-latency: 90\n"
    "package-link-latency: 200\nbuffers-per-vc: 5000\nlocal-link-efficiency: 0.94\n";

std::string With(const std::string& old_line, const std::string& new_line) {
  std::string text = kTorus;
  return text.replace(text.find(old_line), old_line.size(), new_line);
}

std::string Refusal(const std::string& text) {
  try {
    ParseAstraNetwork(text, "net.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(AstraNetwork, ATorusHasThreeDimensions) {
  const ScaleUpNetwork network = ParseAstraNetwork(kTorus, "net.txt");
  ASSERT_EQ(network.dimensions.size(), 3u);
  const NetworkDimension& local = network.dimensions[0];
  EXPECT_EQ(local.size, 2u);
  EXPECT_EQ(local.clockwise, 2u);
  EXPECT_EQ(local.anticlockwise, 0u);
  EXPECT_EQ(local.rate.bps, 1'600'000'000'000);
  EXPECT_EQ(local.latency, NanoSeconds(90));
  EXPECT_EQ(local.level.packet_bytes, 512);
  EXPECT_EQ(local.level.efficiency, 0.94);
  EXPECT_EQ(local.level.flit_bytes, 128);
  EXPECT_EQ(local.level.buffer_flits, 5000);
  EXPECT_EQ(local.level.virtual_channels, 50u);
  EXPECT_TRUE(local.level.padded);
  EXPECT_EQ(network.dimensions[1].size, 4u);
  EXPECT_EQ(network.dimensions[1].clockwise, 3u);
  EXPECT_EQ(network.dimensions[1].anticlockwise, 3u);
  EXPECT_EQ(network.dimensions[1].level.efficiency, 1);
  EXPECT_EQ(network.dimensions[2].size, 3u);
  EXPECT_EQ(network.dimensions[2].clockwise, 1u);
  EXPECT_EQ(MakeScaleUpGraph(network).gpu_count(), 24u);
}

TEST(AstraNetwork, SwitchesJoinAllPackages) {
  std::string text = With("Torus3D", "NV_Switch") + "links-per-tile: 7\n";
  const ScaleUpNetwork network = ParseAstraNetwork(text, "net.txt");
  ASSERT_EQ(network.dimensions.size(), 2u);
  EXPECT_EQ(network.dimensions[1].kind, Dimension::Kind::kSwitch);
  EXPECT_EQ(network.dimensions[1].size, 12u);
  EXPECT_EQ(network.dimensions[1].clockwise, 7u);
}

TEST(AstraNetwork, MistakesAreNamedWithTheirLines) {
  EXPECT_EQ(Refusal(With("num-packages: 12", "num-packages: 5")),
            "net.txt:2: 5 num-packages of 24 num-npus. Expected: a divisor of num-npus");
  EXPECT_EQ(Refusal(With("Torus3D", "Ring")),
            "net.txt:4: topology \"Ring\". Expected: Torus3D or NV_Switch");
  EXPECT_EQ(Refusal(With("flit-width: 1024", "flit-width: many")),
            "net.txt:8: flit-width: \"many\". Expected: a whole number, 1 to 8388608");
  EXPECT_EQ(Refusal(With("local-link-efficiency: 0.94", "local-link-efficiency: 2")),
            "net.txt:19: local-link-efficiency: \"2\". Expected: a number above 0, at most 1");
  EXPECT_NE(Refusal(With("flit-width", "flit-wdith")).find("the nearest is flit-width"),
            std::string::npos);
  EXPECT_NE(Refusal(kTorus + "num-npus: 8\n").find("net.txt:20: \"num-npus\" once more"),
            std::string::npos);
  EXPECT_NE(Refusal(With("tile-link-width: 1600\n", "")).find("no 'tile-link-width'"),
            std::string::npos);
  EXPECT_EQ(Refusal(With("vcs-per-vnet: 50", "vcs-per-vnet: 300")),
            "net.txt:13: vcs-per-vnet: \"300\". Expected: a whole number, 1 to 255");
  EXPECT_EQ(Refusal(With("local-rings: 2", "local-rings: 70000")),
            "net.txt:5: local-rings: \"70000\". Expected: a whole number, 1 to 65536");
  EXPECT_EQ(Refusal(With("package-link-width: 200", "package-link-width: 1000001")),
            "net.txt:12: package-link-width: \"1000001\". Expected: a whole number, 1 to 1000000");
  EXPECT_EQ(Refusal(With("local-packet-size: 512", "local-packet-size: 524289")),
            "net.txt:9: local-packet-size: \"524289\". Expected: a whole number, 1 to 524288");
  EXPECT_EQ(Refusal(With("num-npus: 24", "num-npus: 1048577")),
            "net.txt:1: num-npus: \"1048577\". Expected: a whole number, 1 to 1048576");
  EXPECT_EQ(Refusal(With("buffers-per-vc: 5000", "buffers-per-vc: 3")),
            "net.txt:18: buffers of 3 flits. Expected: at least 4, as a packet has so many "
            "(local-packet-size 512, flit-width 1024)");
  EXPECT_EQ(Refusal(With("buffers-per-vc: 5000", "buffers-per-vc: 4")), "accepted");
  EXPECT_NE(Refusal("rubbish").find("net.txt:1: \"rubbish\""), std::string::npos);
  EXPECT_NE(Refusal("\xd6x\n").find("net.txt:1: \"\\xd6x\""), std::string::npos);
  EXPECT_NE(Refusal(With("Torus3D", "\x1b")).find("topology \"\\x1b\""), std::string::npos);
  EXPECT_NE(Refusal("").find("no 'topology'"), std::string::npos);
}

}  // namespace
}  // namespace heddle
