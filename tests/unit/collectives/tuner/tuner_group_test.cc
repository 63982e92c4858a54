// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_group.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/tuner/tuner_groups.h"

namespace heddle {
namespace {

TEST(TunerGroup, CountsRanksOfServers) {
  const TunerGroup ragged = TunerGroupOf(GroupShape(20, 8), "A100");
  EXPECT_EQ(ragged.ranks, 20U);
  EXPECT_EQ(ragged.servers, 3U);
  EXPECT_EQ(ragged.fewest_locals, 4U);
  EXPECT_EQ(ragged.most_locals, 8U);
  EXPECT_DOUBLE_EQ(ragged.locals(), 20.0 / 3);
  EXPECT_DOUBLE_EQ(ragged.neighbours(), 5) << "NCCL divides whole numbers";
  EXPECT_FALSE(ragged.one_server());
  EXPECT_FALSE(ragged.one_gpu_a_server());
  EXPECT_TRUE(ragged.has_nvswitches);
}

TEST(TunerGroup, NvLinksNeedNvSwitchesUnlessNothingStaysInside) {
  const TunerGroup bare = TunerGroupOf(GroupShape(16, 8, 0), "H100");
  EXPECT_FALSE(bare.has_nvswitches);
  EXPECT_FALSE(bare.has_nvlinks());
  const TunerGroup single = TunerGroupOf(GroupShape(4, 1, 0), "H100");
  EXPECT_FALSE(single.has_nvswitches);
  EXPECT_TRUE(single.has_nvlinks());
  EXPECT_TRUE(single.one_gpu_a_server());
}

TEST(TunerGroup, Generations) {
  for (const char* type : {"A100", "A800"}) EXPECT_EQ(GenerationOf(type), GpuGeneration::kAmpere);
  for (const char* type : {"H100", "H800", "H20", "X1", ""})
    EXPECT_EQ(GenerationOf(type), GpuGeneration::kHopper) << type;
  for (const char* type : {"B200", "GB200"})
    EXPECT_EQ(GenerationOf(type), GpuGeneration::kBlackwell) << type;
}

}  // namespace
}  // namespace heddle
