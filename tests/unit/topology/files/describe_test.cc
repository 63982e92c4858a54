// SPDX-License-Identifier: GPL-2.0-only
#include "topology/files/describe.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/test_data.h"
#include "topology/files/graphviz.h"
#include "topology/graph/tiers.h"

namespace heddle {
namespace {

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Describe, NamesTiersRatesAndPaths) {
  const std::string text = DescribeFabric(ReadCase("f_sx128_rail_cc1"));
  ExpectContains(text, "216: 128 GPUs (A100), 16 NVSwitches, 72 switches");
  ExpectContains(text, "16 of 8 GPUs");
  ExpectContains(text, "leaf       8 switches");
  ExpectContains(text, "spine      64 switches");
  ExpectContains(text, "512 x 400Gbps");
  ExpectContains(text, "12800 Gbps down : 204800 Gbps up = 0.06 : 1");
  ExpectContains(text, "diameter   4 hops");
  ExpectContains(text, "4 hops, 64 paths");
  EXPECT_EQ(text.find("warning"), std::string::npos) << text;
}

TEST(Describe, DiameterIsThatOfAllPairs) {
  for (const char* name : {"c1_sx32", "f_dcn64_mixed_cc1", "f_hpndp64_rail_cc1", "f_single_cc1"}) {
    const Graph graph = ReadCase(name);
    const Routes routes(graph);
    std::uint32_t longest = 0;
    for (std::uint32_t a = 0; a < graph.gpu_count(); ++a) {
      for (std::uint32_t b = 0; b < graph.gpu_count(); ++b) {
        longest = std::max(longest, routes.Hops(NodeId(a), NodeId(b)));
      }
    }
    const Diameter diameter = FindDiameter(graph, routes);
    EXPECT_EQ(diameter.hops, longest) << name;
    EXPECT_EQ(routes.Hops(diameter.from, diameter.to), longest) << name;
  }
}

TEST(Describe, CountsPathsOverParallelCables) {
  Graph graph(2, 0, 1, 1, "X");
  Connect(&graph, 0, 2);
  Connect(&graph, 0, 2);
  Connect(&graph, 1, 2);
  Connect(&graph, 1, 2);
  EXPECT_EQ(CountPaths(graph, Routes(graph), NodeId(0), NodeId(1)), 4);
}

TEST(Describe, WarnsOfWhatIsOdd) {
  Graph graph(3, 0, 2, 2, "X");
  Connect(&graph, 0, 3);
  Connect(&graph, 0, 3);
  Connect(&graph, 1, 3, {1'000'000'000});
  Connect(&graph, 2, 4);
  const auto warnings = FabricWarnings(graph, Routes(graph));
  ASSERT_EQ(warnings.size(), 4u);
  ExpectContains(warnings[0], "1 cables are parallel");
  ExpectContains(warnings[1], "cannot reach server 1 / GPU 0");
  ExpectContains(warnings[2], "last server has only 1 of 2");
  ExpectContains(warnings[3], "GPU - leaf have 2 different rates");
  EXPECT_NO_THROW(DescribeFabric(graph));
}

TEST(Describe, AFabricWithoutLinksIsDescribed) {
  EXPECT_NO_THROW(DescribeFabric(Graph(1, 0, 1, 1, "X")));
}

TEST(Tiers, GrowWithTheDistanceFromGpus) {
  Graph graph(1, 1, 4, 1, "X");  // 0 - nv1, 0 - s2 - s3 - s4; s5 alone
  Connect(&graph, 0, 1);
  Connect(&graph, 0, 2);
  Connect(&graph, 2, 3);
  Connect(&graph, 3, 4);
  EXPECT_EQ(FindTiers(graph), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(TierName(3), "spine");
  EXPECT_EQ(TierName(4), "tier 3");
}

TEST(Graphviz, DrawsEveryNodeAndLinkOnce) {
  const Graph graph = ReadCase("c1_sx32");
  Graph small(2, 0, 1, 1, "X");
  Connect(&small, 0, 2);
  Connect(&small, 2, 1);
  const std::string text = GraphvizText(small);
  ExpectContains(text, "graph fabric {");
  ExpectContains(text, "n0 -- n2");
  ExpectContains(text, "n1 -- n2");
  ExpectContains(text, "switch 0\\n2");
  const std::string large = GraphvizText(graph);
  std::size_t edges = 0;
  for (auto at = large.find(" -- "); at != std::string::npos; at = large.find(" -- ", at + 1)) {
    ++edges;
  }
  EXPECT_EQ(edges, graph.links().size());
}

TEST(Graphviz, RefusesWhatNobodyCanRead) {
  EXPECT_THROW(GraphvizText(ReadCase("f_sx128_rail_cc1")), UserError);
}

}  // namespace
}  // namespace heddle
