// SPDX-License-Identifier: GPL-2.0-only
#include "io/astra/astra2_network.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "io/astra/astra_network.h"

namespace heddle {
namespace {

std::string Refused2(const std::string& text) {
  try {
    ParseAstraNetwork(text, "network.yml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Astra2Network, DimensionsAreReadInTheirOrder) {
  AstraFileNote note;
  const ScaleUpNetwork network = ParseAstraNetwork(
      "# a fabric\ntopology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2,\n 8, 4 ]\n"
      "bandwidth:\n  - 250.0\n  - 200  # GB/s\n  - \"50.5\"\nlatency: [50, 500.5, 2000]\n",
      "network.yml", &note);
  EXPECT_EQ(note.version, "ASTRA-sim 2");
  ASSERT_EQ(network.dimensions.size(), 3u);
  EXPECT_EQ(network.npus(), 64u);
  EXPECT_TRUE(network.whole_ns);
  const NetworkDimension& ring = network.dimensions[0];
  EXPECT_EQ(ring.kind, Dimension::Kind::kRing);
  EXPECT_EQ(ring.clockwise, 1u);
  EXPECT_EQ(ring.anticlockwise, 1u);
  EXPECT_EQ(ring.rate.bps, 250LL * 8 * (1LL << 30));
  EXPECT_EQ(ring.latency, NanoSeconds(50));
  EXPECT_EQ(ring.router_latency, Time());
  EXPECT_TRUE(ring.one_queue);
  EXPECT_EQ(ring.level.packet_bytes, ScaleUpLevel::kWholeMessages);
  EXPECT_EQ(network.dimensions[1].kind, Dimension::Kind::kFullyConnected);
  EXPECT_EQ(network.dimensions[1].latency, PicoSeconds(500'500));
  EXPECT_EQ(network.dimensions[2].kind, Dimension::Kind::kSwitch);
  EXPECT_EQ(network.dimensions[2].rate.bps, 433'791'696'896);
  EXPECT_EQ(network.dimensions[2].anticlockwise, 0u);
  const Graph graph = MakeScaleUpGraph(network);
  EXPECT_EQ(graph.gpu_count(), 64u);
  EXPECT_EQ(graph.switch_count(), 16u);
}

TEST(Astra2Network, FilesOfTheFirstVersionAreTakenForSuch) {
  AstraFileNote note;
  ParseAstraNetwork(
      "topology: Torus3D\nnum-npus: 4\nnum-packages: 2\npackage-rows: 1\nflit-width: 1024\n"
      "local-packet-size: 512\npackage-packet-size: 256\ntile-link-width: 200\n"
      "package-link-width: 25\nlocal-link-latency: 90\npackage-link-latency: 200\n"
      "routing-algorithm: Ring_XY\n",
      "net.txt", &note);
  EXPECT_EQ(note.Text(),
            "ASTRA-SIM 1.0; not used: routing-algorithm (the topology says how packets go)");
}

TEST(Astra2Network, MistakesAreNamedWithTheirLines) {
  const std::string good = "topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n";
  EXPECT_EQ(Refused2(good), "accepted");
  EXPECT_EQ(
      Refused2("topology: [Rign]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [500]\n"),
      "network.yml:1: topology \"Rign\". Expected: Ring, FullyConnected or Switch; the nearest "
      "is Ring");
  EXPECT_EQ(Refused2("topology: [Ring]\nnpus_count: [1]\nbandwidth: [50]\nlatency: [500]\n"),
            "network.yml:2: npus_count: \"1\". Expected: a whole number, 2 to 1048576");
  EXPECT_EQ(Refused2("topology: [Ring]\nnpus_count: [8, 8]\nbandwidth: [50]\nlatency: [500]\n"),
            "network.yml:2: npus_count: 2 values. Expected: 1, as topology has so many");
  EXPECT_EQ(Refused2("topology: [Ring]\nnpus_count: [8]\nbandwidth: [fast]\nlatency: [500]\n"),
            "network.yml:3: bandwidth: \"fast\". Expected: GB/s, 0.001 to 100000");
  EXPECT_EQ(Refused2("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\nlatency: [0]\n"),
            "network.yml:4: latency: \"0\". Expected: nanoseconds, 0.001 to 10^9");
  EXPECT_EQ(Refused2("topology: [Ring]\nnpus_count: [8]\nbandwidth: [50]\n"),
            "network.yml: no 'latency'. Expected: this key of ASTRA-sim 2's network.yml");
  EXPECT_EQ(Refused2("npus_count: [8]\n"),
            "network.yml: no 'topology'. Expected: this key of ASTRA-sim 2's network.yml");
  EXPECT_EQ(Refused2(good + "latency: [500]\n"),
            "network.yml:5: \"latency\" once more. Expected: each key once");
  EXPECT_EQ(Refused2(good + "latencies: [500]\n"),
            "network.yml:5: \"latencies\". Expected: a key of ASTRA-sim 2's network.yml: topology, "
            "npus_count, bandwidth or latency; the nearest is latency");
  EXPECT_EQ(Refused2("topology: [Ring\nnpus_count: 8\n"),
            "network.yml:1: \"topology\": a list without an end. Expected: ']'");
  EXPECT_EQ(
      Refused2("topology: [Ring,,Ring]\nnpus_count: [8]\n"),
      "network.yml:1: \"topology\": an empty place in the list. Expected: values, separated by "
      "commas");
  EXPECT_EQ(Refused2("topology:\n- [Ring]\nnpus_count: [8]\nbandwidth: [1]\nlatency: [1]\n"),
            "network.yml:1: topology \"[Ring]\". Expected: Ring, FullyConnected or Switch; the "
            "nearest is Ring");
}

}  // namespace
}  // namespace heddle
