// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/dimension_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/result/graph_table.h"
#include "tests/support/message_of.h"
#include "tests/support/scale_up_fabric.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

using testing::Loop;
using testing::Mesh;
using testing::ScaleUpFabric;
using testing::Switched;

std::vector<Graph> FabricsOfDimensions() {
  NetworkDimension one_queue = Loop(4, 1, 1);
  one_queue.one_queue = true;
  return {ScaleUpFabric({Loop(3, 2, 1), Loop(4, 1)}), ScaleUpFabric({Mesh(4, 2), one_queue}),
          ScaleUpFabric({Switched(4, 2), Loop(1, 1), Switched(3)})};
}

Graph WithoutDimensions(const Graph& graph) {
  return GraphFromTables(ShapeTable(graph), LinkTable(graph));
}

TEST(DimensionTable, PathsComeBackEqual) {
  for (const Graph& graph : FabricsOfDimensions()) {
    ASSERT_EQ(GraphTables(graph).size(), 4U);
    Graph read = WithoutDimensions(graph);
    SetDimensions(GraphTables(graph)[3], &read);
    const Routes expected(graph), found(read);
    std::vector<PortId> a, b;
    for (std::uint32_t from = 0; from < graph.node_count(); ++from) {
      for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
        if (from == to) continue;
        expected.NextHops(NodeId(from), NodeId(to), &a);
        found.NextHops(NodeId(from), NodeId(to), &b);
        EXPECT_EQ(a, b) << from << " to " << to;
      }
    }
    ASSERT_NE(read.scale_up(), nullptr);
    for (std::size_t d = 0; d < read.scale_up()->dimensions.size(); ++d) {
      EXPECT_EQ(read.scale_up()->dimensions[d].queues(), graph.scale_up()->dimensions[d].queues());
    }
  }
}

TEST(DimensionTable, OtherDimensionsThanTheCablesAreRefused) {
  const Graph graph = ScaleUpFabric({Loop(3, 1), Loop(4, 1)});
  const Table good = DimensionTable(*graph.scale_up());
  const auto refusal = [&](const char* column, std::vector<std::uint32_t> values) {
    Table bad = good;
    for (Column& one : bad.columns) {
      if (one.name == column) one.data = std::move(values);
    }
    Graph read = WithoutDimensions(graph);
    return MessageOf([&] { SetDimensions(bad, &read); });
  };
  const std::string cables =
      "table topology/dimensions: dimensions that do not have the cables of table topology/links. "
      "Expected: those of the fabric";
  EXPECT_EQ(refusal("size", {4, 3}), cables) << "as many cables, others";
  EXPECT_EQ(refusal("size", {3, 3}), cables);
  EXPECT_EQ(refusal("clockwise", {1, 4'000'000'000}), cables);
  EXPECT_EQ(refusal("size", {0, 0}), cables);
  EXPECT_NE(refusal("clockwise", {0, 2}), "") << "a ring without lanes";
  Graph read = WithoutDimensions(graph);
  SetDimensions(good, &read);
}

}  // namespace
}  // namespace heddle
