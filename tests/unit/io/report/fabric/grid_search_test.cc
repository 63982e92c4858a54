// SPDX-License-Identifier: GPL-2.0-only
#include "io/report/fabric/grid_search.h"

#include <gtest/gtest.h>

#include "tests/support/small_networks.h"

namespace heddle {
namespace {

using Sizes = std::vector<std::uint32_t>;

/// Cables between the switches of a grid.
std::vector<std::pair<std::uint32_t, std::uint32_t>> CablesOf(const Sizes& lengths, bool torus) {
  const Graph graph = testing::GridOfSwitches(lengths, torus);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (const Link& link : graph.links()) {
    if (!graph.is_gpu(link.a))
      cables.emplace_back(link.a.value - graph.gpu_count(), link.b.value - graph.gpu_count());
  }
  return cables;
}

TEST(GridSearch, FindsTheLengths) {
  for (const Sizes& lengths :
       {Sizes{4, 4, 4}, Sizes{8, 3}, Sizes{2, 5, 3}, Sizes{7}, Sizes{2, 2}, Sizes{3, 2, 4, 2}}) {
    std::uint32_t nodes = 1;
    for (const std::uint32_t length : lengths) nodes *= length;
    EXPECT_EQ(FindGrid(nodes, CablesOf(lengths, true)), lengths);
    EXPECT_EQ(FindGrid(nodes, CablesOf(lengths, false)), lengths);
  }
}

TEST(GridSearch, OneOtherCableMakesNoGrid) {
  auto cables = CablesOf({4, 4}, true);
  cables.emplace_back(0, 5);
  EXPECT_TRUE(FindGrid(16, cables).empty());
  EXPECT_TRUE(FindGrid(16, {}).empty());
  EXPECT_TRUE(FindGrid(1, {}).empty());
}

TEST(GridSearch, AFullMeshIsNone) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> cables;
  for (std::uint32_t a = 0; a < 6; ++a) {
    for (std::uint32_t b = a + 1; b < 6; ++b) cables.emplace_back(a, b);
  }
  EXPECT_TRUE(FindGrid(6, cables).empty());
}

}  // namespace
}  // namespace heddle
