// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/algorithm_list.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Words = std::vector<std::string>;

TEST(AlgorithmList, Splits) {
  EXPECT_EQ(AlgorithmsIn("auto"), Words{});
  EXPECT_EQ(AlgorithmsIn("fastest"), Words{});
  EXPECT_EQ(AlgorithmsIn("ring"), Words{"ring"});
  EXPECT_EQ(AlgorithmsIn("tree+ring+nvls"), (Words{"tree", "ring", "nvls"}));
  EXPECT_EQ(AlgorithmsIn("tree+"), (Words{"tree", ""}));
}

TEST(AlgorithmList, SimulatedOnesFirst) {
  EXPECT_EQ(AllWordsFor(Operation::kAllReduce),
            (Words{"ring", "tree", "nvls", "nvls_tree", "collnet_direct", "collnet_chain",
                   "nvls_collnet"}));
  EXPECT_EQ(AllWordsFor(Operation::kAllGather),
            (Words{"ring", "nvls", "nvls_tree", "pat", "collnet_direct"}));
  EXPECT_EQ(AllWordsFor(Operation::kBroadcast), Words{"ring"});
}

/// Automatic is ring, NVLS or NVLS-Tree.
TEST(AlgorithmList, SimcclStaysAutomaticOrTakesTheRingOrTheFirst) {
  const auto taken = [](const char* value) {
    return SimcclAlgorithm(Operation::kAllReduce, value);
  };
  EXPECT_EQ(taken("auto"), "auto");
  EXPECT_EQ(taken("fastest"), "fastest");
  EXPECT_EQ(taken("ring"), "ring");
  EXPECT_EQ(taken("tree"), "tree");
  EXPECT_EQ(taken("nvls_tree+ring+nvls"), "auto");
  EXPECT_EQ(taken("tree+ring"), "ring");
  EXPECT_EQ(taken("ring+nvls"), "ring") << "over several servers NVLS-Tree would be chosen";
  EXPECT_EQ(taken("tree+nvls"), "tree");
  EXPECT_EQ(taken("nvls+tree"), "nvls");
  EXPECT_EQ(taken("collnet_chain+tree"), "collnet_chain");
  EXPECT_EQ(taken("collnet_chain"), "collnet_chain");
  EXPECT_EQ(SimcclAlgorithm(Operation::kAllGather, "collnet_direct"), "collnet_direct");
  EXPECT_EQ(SimcclAlgorithm(Operation::kAllGather, "collnet_chain"), "") << "not simulated";
  EXPECT_EQ(SimcclAlgorithm(Operation::kAllGather, "pat+ring"), "ring");
}

}  // namespace
}  // namespace heddle
