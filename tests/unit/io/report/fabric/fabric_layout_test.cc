// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/fabric_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/small_networks.h"

namespace heddle {
namespace {

using testing::AddCable;
using Shape = FabricPicture::Shape;

FabricPicture LayoutOf(const Graph& graph, std::size_t most = 48) {
  return LayOut(graph, NodeNames(graph), most);
}
const FabricPicture::Box& BoxOf(const FabricPicture& layout, std::uint32_t node) {
  return layout.boxes[layout.box_of_node[node]];
}

TEST(FabricPicture, LeavesAndSpinesAreRows) {
  const FabricPicture layout = LayoutOf(testing::TwoLevelTree(4, 2, 2, 1));
  EXPECT_EQ(layout.shape, Shape::kLevels);
  EXPECT_EQ(layout.rows, (std::vector<std::string>{"GPUs", "leaves", "spines"}));
  EXPECT_EQ(layout.boxes.size(), 8u + 4 + 2);
  EXPECT_TRUE(layout.parts.empty());
  EXPECT_EQ(BoxOf(layout, 9).name, "leaf 1");
  EXPECT_EQ(BoxOf(layout, 9).x, 1u);
  EXPECT_EQ(BoxOf(layout, 9).y, 1u);
  EXPECT_EQ(BoxOf(layout, 13).name, "spine 1");
}

TEST(FabricPicture, AServerIsABoxWithItsNvSwitches) {
  Graph graph(4, 2, 1, 2, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    AddCable(&graph, gpu, 4 + gpu / 2);
    AddCable(&graph, gpu, 6);
  }
  const FabricPicture layout = LayoutOf(graph);
  ASSERT_EQ(layout.boxes.size(), 3u);
  EXPECT_EQ(BoxOf(layout, 3).name, "server 1");
  EXPECT_EQ(layout.box_of_node[5], layout.box_of_node[2]);
  EXPECT_EQ(layout.rows, (std::vector<std::string>{"servers", "switches"}));
}

TEST(FabricPicture, NeighboursShareABoxWhereARowIsFull) {
  const FabricPicture layout = LayoutOf(testing::TwoLevelTree(40, 3, 10, 1), 16);
  EXPECT_EQ(layout.most_merged, 8u);
  EXPECT_EQ(BoxOf(layout, 0).name, "GPU 0 to GPU 7");
  EXPECT_EQ(layout.box_of_node[7], layout.box_of_node[0]);
  EXPECT_NE(layout.box_of_node[8], layout.box_of_node[0]);
  EXPECT_EQ(BoxOf(layout, 121).name, "leaf 0 to leaf 2");
  EXPECT_EQ(BoxOf(layout, 169).name, "spine 9") << "ten have room";
}

TEST(FabricPicture, PlanesShareNoSwitch) {
  Graph graph(4, 0, 6, 1, "X");  // two planes of two leaves and a spine
  for (std::uint32_t plane = 0; plane < 2; ++plane) {
    const std::uint32_t first = 4 + 3 * plane;
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) AddCable(&graph, gpu, first + gpu / 2);
    for (std::uint32_t leaf = 0; leaf < 2; ++leaf) AddCable(&graph, first + leaf, first + 2);
  }
  const FabricPicture layout = LayoutOf(graph);
  EXPECT_EQ(layout.parts, (std::vector<std::string>{"plane 0", "plane 1"}));
  EXPECT_EQ(BoxOf(layout, 4).part, 0);
  EXPECT_EQ(BoxOf(layout, 9).part, 1);
  EXPECT_EQ(BoxOf(layout, 0).part, -1) << "GPUs are in both";
}

TEST(FabricPicture, PodsShareTheHighestLevelOnly) {
  Graph graph(4, 0, 9, 1, "X");  // two pods of two leaves and two spines, one core
  for (std::uint32_t pod = 0; pod < 2; ++pod) {
    const std::uint32_t leaves = 4 + 2 * pod, spines = 8 + 2 * pod;
    for (std::uint32_t i = 0; i < 2; ++i) {
      AddCable(&graph, 2 * pod + i, leaves + i);
      AddCable(&graph, spines + i, 12);
      for (std::uint32_t spine = 0; spine < 2; ++spine)
        AddCable(&graph, leaves + i, spines + spine);
    }
  }
  const FabricPicture layout = LayoutOf(graph);
  EXPECT_EQ(layout.parts, (std::vector<std::string>{"pod 0", "pod 1"}));
  EXPECT_EQ(BoxOf(layout, 2).part, 1);
  EXPECT_EQ(BoxOf(layout, 7).part, 1);
  EXPECT_EQ(BoxOf(layout, 8).part, 0);
  EXPECT_EQ(BoxOf(layout, 12).part, -1);
  EXPECT_EQ(layout.rows.back(), "cores");
}

TEST(FabricPicture, RailsWithoutSpinesAreOneRow) {
  Graph graph(4, 0, 2, 2, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) AddCable(&graph, gpu, 4 + gpu % 2);
  const FabricPicture layout = LayoutOf(graph);
  EXPECT_EQ(layout.shape, Shape::kLevels);
  EXPECT_TRUE(layout.parts.empty());
  EXPECT_EQ(layout.boxes.size(), 4u);
}

TEST(FabricPicture, ToriAreDrawnByCoordinates) {
  const Graph graph = testing::GridOfSwitches({4, 3, 2}, true);
  const FabricPicture layout = LayoutOf(graph);
  EXPECT_EQ(layout.shape, Shape::kGrid);
  EXPECT_EQ(layout.text, "a torus or mesh of 4 x 3 x 2");
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const FabricPicture::Box& box : layout.boxes) places.emplace(box.x, box.y);
  EXPECT_EQ(places.size(), 24u) << "no two at one place";
  EXPECT_EQ(layout.boxes[4 + 1].x, 1u);
  EXPECT_EQ(layout.boxes[4 + 1].y, 1u);
  EXPECT_EQ(layout.boxes[12].x, 5u) << "the third dimension is beside the first";
  EXPECT_EQ(layout.box_of_node[7], 7u) << "a GPU is in the box of its switch";
}

TEST(FabricPicture, RingsAreRings) {
  const FabricPicture layout = LayoutOf(testing::GridOfSwitches({6}, true));
  EXPECT_EQ(layout.shape, Shape::kRing);
  EXPECT_EQ(layout.boxes.size(), 6u);
}

TEST(FabricPicture, OthersAreNotDrawn) {
  Graph graph = testing::GridOfSwitches({4, 4}, true);
  AddCable(&graph, 16, 21);
  const FabricPicture layout = LayoutOf(graph);
  EXPECT_EQ(layout.shape, Shape::kUnknown);
  EXPECT_TRUE(layout.boxes.empty());
  EXPECT_EQ(layout.text, "is neither of levels nor a torus, mesh or ring");
  Graph racks(4, 1, 0, 2, "X");
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) AddCable(&racks, gpu, 4);
  EXPECT_EQ(LayoutOf(racks).text, "has NVSwitches that join servers");
  EXPECT_EQ(LayoutOf(testing::GridOfSwitches({130}, true)).text,
            "is a ring of 130 nodes, too large to be drawn");
}

}  // namespace
}  // namespace heddle
