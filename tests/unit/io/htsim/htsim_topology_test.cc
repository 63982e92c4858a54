// SPDX-License-Identifier: GPL-2.0-only
#include "io/htsim/htsim_topology.h"

#include <optional>

#include "io/htsim/htsim_fabric.h"
#include "tests/support/io_test_util.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

/// Six hosts at three ToR switches, two top switches with two cables to each.
const std::string kTwoTiers =
    "# six hosts\nNodes 6\nTiers 2\nPodsize 6\n\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\n"
    "Radix_Up 4\nOversubscribed 1\nDownlink_Latency_ns 500\nSwitch_Latency_ns 300\n\nTier 1\n"
    "Downlink_speed_Gbps 100\nRadix_Down 6\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 501\n"
    "Bundle 2\n";

/// Twelve hosts in three pods of two ToR and two aggregation switches; four core switches.
const std::string kThreeTiers =
    "nodes 12\ntiers 3\npodsize 4\ntier 0\ndownlink_speed_gbps 100\nradix_down 2\nradix_up 2\n"
    "downlink_latency_ns 1\ntier 1\ndownlink_speed_gbps 100\nradix_down 2\nradix_up 2\n"
    "downlink_latency_ns 2\ntier 2\ndownlink_speed_gbps 100\nradix_down 3\ndownlink_latency_ns 3\n";

Graph GraphOf(const std::string& text) {
  return MakeHtsimGraph(ParseHtsimTopology(text, "net.topo"));
}

std::string With(std::string text, const std::string& old_words, const std::string& new_words) {
  return text.replace(text.find(old_words), old_words.size(), new_words);
}

std::string RefusedTopology(const std::string& text) {
  return MessageOf([&] { GraphOf(text); });
}

/// Cables between two nodes.
std::vector<Link> Between(const Graph& graph, std::uint32_t a, std::uint32_t b) {
  std::vector<Link> found;
  for (const Link& link : graph.links()) {
    if (link.a == NodeId(a) && link.b == NodeId(b)) found.push_back(link);
  }
  return found;
}

TEST(HtsimTopology, TwoTiersByHand) {
  const HtsimTopology topology = ParseHtsimTopology(kTwoTiers, "net.topo");
  EXPECT_EQ(ShapeOf(topology).Text(), "htsim, 2 tiers: 3 ToR switches, 2 top switches");
  EXPECT_TRUE(topology.warnings.empty());
  const Graph graph = MakeHtsimGraph(topology);
  EXPECT_EQ(graph.gpu_count(), 6u);
  EXPECT_EQ(graph.switch_count(), 5u);
  EXPECT_EQ(graph.gpus_per_server(), 1u);
  EXPECT_EQ(graph.links().size(), 6u + 3 * 2 * 2);
  ASSERT_EQ(Between(graph, 3, 7).size(), 1u) << "host 3 is at ToR switch 1";
  EXPECT_EQ(Between(graph, 3, 7)[0].rate.bps, 200'000'000'000);
  EXPECT_EQ(Between(graph, 3, 7)[0].delay.ps, 500'000 + 150'000) << "half of the ToR switch";
  ASSERT_EQ(Between(graph, 8, 10).size(), 2u) << "a bundle of the last ToR and top switch";
  EXPECT_EQ(Between(graph, 8, 10)[1].rate.bps, 100'000'000'000);
  EXPECT_EQ(Between(graph, 8, 10)[1].delay.ps, 1'000'000 + 150'000 + 250'500);
}

TEST(HtsimTopology, ThreeTiersByHand) {
  const HtsimTopology topology = ParseHtsimTopology(kThreeTiers, "net.topo");
  EXPECT_EQ(ShapeOf(topology).Text(),
            "htsim, 3 tiers: 6 ToR switches, 6 aggregation switches, 4 core switches, 3 pods");
  const Graph graph = MakeHtsimGraph(topology);
  EXPECT_EQ(graph.node_count(), 12u + 6 + 6 + 4);
  EXPECT_EQ(graph.links().size(), 12u + 12 + 12);
  EXPECT_EQ(Between(graph, 11, 17).size(), 1u) << "the last host is at the last ToR switch";
  EXPECT_EQ(Between(graph, 14, 20).size(), 1u) << "within the second pod";
  EXPECT_EQ(Between(graph, 14, 18).size(), 0u) << "between pods";
  for (std::uint32_t core = 0; core < 4; ++core) {
    for (std::uint32_t pod = 0; pod < 3; ++pod) {
      EXPECT_EQ(Between(graph, 18 + 2 * pod + core % 2, 24 + core).size(), 1u);
      EXPECT_EQ(Between(graph, 18 + 2 * pod + (core + 1) % 2, 24 + core).size(), 0u);
    }
  }
  const Routes routes(graph);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(1)), 2u);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(2)), 4u);
  EXPECT_EQ(routes.Hops(NodeId(0), NodeId(11)), 6u);
}

TEST(HtsimTopology, OversubscriptionMakesFewerSwitches) {
  std::string text =
      With(kTwoTiers, "Radix_Up 4\nOversubscribed 1", "Radix_Up 2\nOversubscribed 2");
  EXPECT_EQ(ShapeOf(ParseHtsimTopology(text, "net.topo")).tops, 1);
}

TEST(HtsimTopology, InexactDivisionsNameBothNumbers) {
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Nodes 6", "Nodes 7")),
            "net.topo:4: 7 hosts (Nodes), divided by 6 hosts of a pod (Podsize). Expected: a "
            "divisor of 7");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 2", "Radix_Down 4")),
            "net.topo:8: 6 hosts (Nodes), divided by 4 hosts of a ToR switch (Radix_Down). "
            "Expected: a divisor of 6");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 6", "Radix_Down 5")),
            "net.topo:16: 12 cables above the ToR switches, divided by 5 cables of a top switch "
            "(Radix_Down). Expected: a divisor of 12");
  EXPECT_EQ(RefusedTopology(With(kThreeTiers, "radix_down 3", "radix_down 5")),
            "net.topo:16: 12 cables above the aggregation switches, divided by 5 cables of a core "
            "switch (Radix_Down). Expected: a divisor of 12");
}

TEST(HtsimTopology, RatiosAndRadicesMustFit) {
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Oversubscribed 1", "Oversubscribed 2")),
            "net.topo:10: Tier 0: 400 Gb/s below a switch, 400 Gb/s above it, Oversubscribed 2. "
            "Expected: a ratio of the two that is Oversubscribed, 1 if it is not given");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Bundle 2", "Bundle 1")),
            "net.topo:9: Radix_Up 4 of Tier 0, and 2 top switches, with 1 each (Bundle). Expected: "
            "Radix_Up 2, or other counts");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Podsize 6", "Podsize 3")),
            "net.topo:4: Podsize 3 of 6 hosts in two tiers. Expected: Podsize 6, as two tiers are "
            "one pod");
}

TEST(HtsimTopology, MistakesNameTheLine) {
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 2", "Radix_Down two")),
            "net.topo:8: Radix_Down \"two\". Expected: an integer from 1 to 65536");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 2", "Radix 2")).substr(0, 36),
            "net.topo:8: \"Radix\". Expected: a key");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 2", "Radix_Up 4")),
            "net.topo:9: Radix_Up again, first in line 8. Expected: one line with it in a tier");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Up 4\n", "")),
            "net.topo:6: Tier 0 without Radix_Up. Expected: a line 'Radix_Up NUMBER' below it");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Tier 1", "Tier 2")),
            "net.topo:14: Tier 2. Expected: Tier 1, as tiers ascend from 0");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Tiers 2", "Tiers 3")),
            "net.topo:3: Tiers 3, and 2 begin with 'Tier N'. Expected: 3 tiers");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Tiers 2\n", "")),
            "net.topo: no line Tiers. Expected: Nodes, Tiers and Podsize before the first tier");
  EXPECT_EQ(RefusedTopology(kTwoTiers + "Radix_Up 3\n"),
            "net.topo:20: Radix_Up of the top tier. Expected: no cables above the top");
  EXPECT_EQ(RefusedTopology(With(kTwoTiers, "Radix_Down 2", "Radix_Down 2\nBundle 2")),
            "net.topo:9: Bundle 2 of hosts. Expected: hosts with one cable");
}

TEST(HtsimTopology, QueuesAreAWarning) {
  const HtsimTopology topology =
      ParseHtsimTopology(kTwoTiers + "Queue_Down 100000\nQueue_Up 5\n", "net.topo");
  ASSERT_EQ(topology.warnings.size(), 1u);
  EXPECT_EQ(topology.warnings[0],
            "net.topo:20: Queue_Down and other queues of the file are not used: buffers are "
            "options (heddle options)");
}

TEST(HtsimTopology, DamagedTextGivesErrorsOnly) {
  ExpectOnlyErrors(kTwoTiers, [](const std::string& text) { GraphOf(text); });
  ExpectOnlyErrors(kThreeTiers, [](const std::string& text) { GraphOf(text); });
}

}  // namespace
}  // namespace heddle
