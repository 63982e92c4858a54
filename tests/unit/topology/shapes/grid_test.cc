// SPDX-License-Identifier: GPL-2.0-only
/// Torus, mesh and full mesh against closed forms.
#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/topology/shapes/fabric_facts.h"

namespace heddle {
namespace {

using Extents = std::vector<std::uint32_t>;

const std::vector<Extents> kGrids = {{2},       {7},       {4, 4},       {5, 4},    {1, 6},
                                     {2, 3, 4}, {4, 4, 4}, {2, 2, 2, 2}, {3, 1, 2}, {1, 2, 2}};

std::string Words(const std::string& shape, const Extents& dims, std::uint32_t gpus_of_node) {
  std::string text;
  for (const std::uint32_t length : dims)
    text += (text.empty() ? "" : "x") + std::to_string(length);
  return shape + " -dims " + text + " -gpn " + std::to_string(gpus_of_node);
}

/// What one dimension adds, as a function of its length.
struct Line {
  std::function<std::size_t(std::uint32_t)> cables;          ///< of one line
  std::function<std::uint32_t(std::uint32_t)> diameter;      ///< in cables between routers
  std::function<std::uint32_t(std::uint32_t)> cut;           ///< between halves of an even line
  std::function<bool(std::uint32_t, std::uint32_t)> linked;  ///< whether two places are
};

void ExpectClosedForm(const std::string& shape, const Line& line) {
  for (const Extents& dims : kGrids) {
    for (const std::uint32_t gpus : {1U, 3U}) {
      const std::string words = Words(shape, dims, gpus);
      const Graph graph = MakeFabric(words);
      const FabricFacts facts = FactsOf(graph);
      std::size_t routers = 1, cables = 0;
      std::uint32_t diameter = 2;
      for (const std::uint32_t length : dims) routers *= length;
      for (const std::uint32_t length : dims) {
        cables += routers / length * line.cables(length);
        diameter += line.diameter(length);
      }
      EXPECT_EQ(facts.switches, routers) << words;
      EXPECT_EQ(facts.gpus, routers * gpus) << words;
      EXPECT_EQ(facts.nvswitches, 0u) << words;
      EXPECT_EQ(facts.cables, cables) << words;
      EXPECT_EQ(facts.links, cables + routers * gpus) << words;
      EXPECT_TRUE(facts.is_connected && facts.all_pairs_meet) << words;
      EXPECT_EQ(facts.diameter, diameter) << words;
      EXPECT_EQ(graph.gpus_per_server(), gpus) << words;
      if (dims.back() % 2 != 0) continue;
      EXPECT_EQ(Bisection(graph), routers / dims.back() * line.cut(dims.back())) << words;
    }
  }
}

/// Whether routers are linked exactly if they differ in one dimension and are linked there.
void ExpectNeighbours(const std::string& shape, const Extents& dims, const Line& line) {
  const Graph graph = MakeFabric(Words(shape, dims, 1));
  const std::uint32_t routers = graph.switch_count();
  for (std::uint32_t a = 0; a < routers; ++a) {
    for (std::uint32_t b = 0; b < routers; ++b) {
      std::uint32_t stride = 1, different = 0, linked = 0;
      for (const std::uint32_t length : dims) {
        const std::uint32_t x = a / stride % length, y = b / stride % length;
        different += x != y;
        linked += x != y && line.linked(x, y);
        stride *= length;
      }
      std::uint32_t cables = 0;
      for (const Attachment& port : graph.ports(NodeId(graph.gpu_count() + a))) {
        cables += port.peer.value == graph.gpu_count() + b;
      }
      EXPECT_EQ(cables, different == 1 && linked == 1 ? 1u : 0u) << shape << " " << a << " " << b;
    }
  }
}

std::uint32_t Gap(std::uint32_t x, std::uint32_t y) { return x < y ? y - x : x - y; }

TEST(Grid, TorusIsAsItsFormula) {
  const Line ring = {
      [](std::uint32_t n) { return n < 3 ? n - 1 : n; }, [](std::uint32_t n) { return n / 2; },
      [](std::uint32_t n) { return n == 2 ? 1 : 2; },
      [](std::uint32_t x, std::uint32_t y) { return Gap(x, y) % 3 == 1 || Gap(x, y) == 3; }};
  ExpectClosedForm("Torus", ring);
  ExpectNeighbours("Torus", {4, 2, 4}, ring);
}

TEST(Grid, MeshIsAsItsFormula) {
  const Line open = {[](std::uint32_t n) { return n - 1; }, [](std::uint32_t n) { return n - 1; },
                     [](std::uint32_t) { return 1; },
                     [](std::uint32_t x, std::uint32_t y) { return Gap(x, y) == 1; }};
  ExpectClosedForm("Mesh", open);
  ExpectNeighbours("Mesh", {5, 2, 3}, open);
}

TEST(Grid, FullMeshIsAsItsFormula) {
  const Line full = {[](std::uint32_t n) { return n * (n - 1) / 2; },
                     [](std::uint32_t n) { return n > 1 ? 1 : 0; },
                     [](std::uint32_t n) { return n / 2 * (n / 2); },
                     [](std::uint32_t, std::uint32_t) { return true; }};
  ExpectClosedForm("FullMesh", full);
  ExpectNeighbours("FullMesh", {5, 2, 3}, full);
}

TEST(Grid, DegreesAreEqual) {
  EXPECT_EQ(FactsOf(MakeFabric("Torus -dims 4x4x4")).degrees,
            (std::map<std::size_t, std::size_t>{{6, 64}}));
  EXPECT_EQ(FactsOf(MakeFabric("FullMesh -dims 4x5")).degrees,
            (std::map<std::size_t, std::size_t>{{7, 20}}));
  EXPECT_EQ(FactsOf(MakeFabric("Mesh -dims 3x3")).degrees,
            (std::map<std::size_t, std::size_t>{{2, 4}, {3, 4}, {4, 1}}));
}

TEST(Grid, TextByHand) {
  EXPECT_EQ(PlanText(PlanFabric("Torus -dims 3x2 -gpn 1 -bw 1Gbps -rates 2Gbps,3Gbps -l 1us")),
            "12 1 0 6 15 H100\n6 7 8 9 10 11 \n"
            "0 6 1Gbps 1us 0\n1 7 1Gbps 1us 0\n2 8 1Gbps 1us 0\n"
            "3 9 1Gbps 1us 0\n4 10 1Gbps 1us 0\n5 11 1Gbps 1us 0\n"
            "6 7 2Gbps 1us 0\n6 9 3Gbps 1us 0\n7 8 2Gbps 1us 0\n7 10 3Gbps 1us 0\n"
            "8 6 2Gbps 1us 0\n8 11 3Gbps 1us 0\n"
            "9 10 2Gbps 1us 0\n10 11 2Gbps 1us 0\n11 9 2Gbps 1us 0\n");
}

TEST(Grid, NodesMayHaveNvSwitches) {
  const FabricFacts facts = FactsOf(MakeFabric("Mesh -dims 2x2 -gpn 4 -nsps 2"));
  EXPECT_EQ(facts.nvswitches, 8u);
  EXPECT_EQ(facts.links, 16u * 2 + 16 + 4);
}

TEST(Grid, RefusesWhatMakesNoFabric) {
  const std::string range = "1 to 20 whole numbers from 1 to 1048576 joined by x, such as 4x4x4";
  for (const char* dims : {"4xx4", "0x4", "x", "4x", "none", "-4", "4,4", "1048577"}) {
    EXPECT_EQ(Refusal(std::string("Torus -dims ") + dims),
              "Torus: dimensions (-dims) \"" + std::string(dims) + "\". Expected: " + range);
  }
  EXPECT_EQ(Refusal("Mesh -dims 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1").find("Mesh: "), 0u);
  EXPECT_EQ(Refusal("FullMesh -dims 5000x5000"),
            "FullMesh: 50000000 nodes and 125000000000 links. Expected: at most 1048576 nodes and "
            "16000000 links");
  EXPECT_EQ(Refusal("Torus -dims 1048576x1048576x1048576x1048576x1048576").find("Torus: 2.5"), 0u);
  EXPECT_EQ(Refusal("Torus -dims 4x4 -rates 1Gbps,2Gbps,3Gbps"),
            "Torus: 3 rates (-rates 1Gbps,2Gbps,3Gbps). Expected: 2, one for each of the "
            "dimensions; or one for all");
  EXPECT_NE(Refusal("Torus -rates 1Gbps,fast").find("(-rates) \"1Gbps,fast\". Expected: 1 to 20"),
            std::string::npos);
  EXPECT_EQ(Refusal("Torus -gpn 0"), "Torus: 0 GPUs per node (-gpn). Expected: 1 to 65536");
  EXPECT_EQ(Refusal("Torus -nsps 1"),
            "Torus: 1 NVSwitches per server (-nsps) of 1 GPU (-gpn). Expected: 0, or more GPUs "
            "(-gpn)");
  EXPECT_NE(Refusal("Torus -dims 3 -gpn 65536").find("more than 65536 links at node"),
            std::string::npos);
  EXPECT_NE(Refusal("Mesh -bw fast").find("(-bw) \"fast\""), std::string::npos);
}

}  // namespace
}  // namespace heddle
