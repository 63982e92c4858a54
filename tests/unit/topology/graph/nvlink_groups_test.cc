// SPDX-License-Identifier: GPL-2.0-only
#include "topology/graph/nvlink_groups.h"

#include <gtest/gtest.h>

#include "tests/support/io_test_util.h"
#include "tests/support/leaf_spine.h"

namespace heddle {
namespace {

using Groups = std::vector<std::uint32_t>;

TEST(NvLinkGroups, NvSwitchesJoinGpus) {
  EXPECT_EQ(NvLinkGroups(SmallGraph()), (Groups{0, 0, 2, 2}));
  EXPECT_EQ(NvLinkGroups(testing::LeafSpine{1, 3, 1}.Build()), (Groups{0, 1, 2}));
  // Two NVSwitches of one server, each with links to both GPUs.
  Graph graph(2, 2, 0, 2, "H100");
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    for (std::uint32_t nvswitch = 2; nvswitch < 4; ++nvswitch)
      graph.AddLink({NodeId(gpu), NodeId(nvswitch), {100'000'000'000}, {25'000}, 0});
  }
  EXPECT_EQ(NvLinkGroups(graph), (Groups{0, 0}));
}

}  // namespace
}  // namespace heddle
