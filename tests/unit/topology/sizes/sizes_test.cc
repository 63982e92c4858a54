// SPDX-License-Identifier: GPL-2.0-only
/// Sizes by number of GPUs: what the forms of the literature give, and bounds that all must obey.
#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/unit/topology/shapes/fabric_facts.h"
#include "topology/graph/link_tiers.h"
#include "topology/graph/oversubscription.h"
#include "topology/sizes/dragonfly_sizes.h"
#include "topology/sizes/grid_sizes.h"
#include "topology/sizes/tree_sizes.h"

namespace heddle {
namespace {

using Lengths = std::vector<std::uint32_t>;

TEST(Sizes, DivisorsAscend) {
  EXPECT_EQ(Divisors(1), (Lengths{1}));
  EXPECT_EQ(Divisors(36), (Lengths{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(Divisors(101), (Lengths{1, 101}));
}

TEST(Sizes, TreesAreSmall) {
  const auto even = FindTreeSizes({512, 8, 1});
  ASSERT_TRUE(even);
  EXPECT_EQ(even->children, (Lengths{16, 32}));
  EXPECT_EQ(even->parents, (Lengths{1, 16}));
  EXPECT_EQ(FindTreeSizes({512, 8, 2})->parents, (Lengths{1, 8}));
  EXPECT_EQ(FindTreeSizes({512, 8, 1}, 3)->children.size(), 3U);
  // Two levels of 64 ports have at most 32 * 64 GPUs.
  EXPECT_EQ(FindTreeSizes({2048, 8, 1})->children, (Lengths{32, 64}));
  EXPECT_EQ(FindTreeSizes({4096, 8, 1})->children.size(), 3U);
  EXPECT_FALSE(FindTreeSizes({808, 8, 1}));  // 101 is a prime above 64
  EXPECT_FALSE(FindTreeSizes({64, 8, 100}));
}

SizeWish WishOf(std::uint32_t gpus, std::uint32_t radix, bool rails) {
  SizeWish wish{gpus, 8, 1};
  wish.radix = radix;
  wish.rails = rails;
  return wish;
}

/// Three levels of k ports at 1 : 1 have k^3 / 4 GPUs at most: 65,536 of 64 ports, 524,288 of 128.
TEST(Sizes, TreesHaveTheFewestTiersOfTheirRadix) {
  EXPECT_EQ(FindTreeSizes(WishOf(98304, 64, false))->children.size(), 4U);
  EXPECT_EQ(FindTreeSizes(WishOf(98304, 128, false))->children.size(), 3U);
  EXPECT_EQ(FindTreeSizes(WishOf(4096, 128, false))->children.size(), 2U);
  EXPECT_EQ(FindTreeSizes(WishOf(4096, 64, false))->children.size(), 3U);
}

TEST(Sizes, RailsHaveWholeServersUnderEachOfTheirLeaves) {
  for (const std::uint32_t gpus : {512U, 4096U, 98304U}) {
    const auto found = FindTreeSizes(WishOf(gpus, 128, true));
    ASSERT_TRUE(found) << gpus;
    EXPECT_EQ(gpus / 8 % found->children[0], 0U) << gpus;
    EXPECT_EQ(found->children[1] % 8, 0U) << gpus;
    for (std::size_t l = 0; l + 1 < found->children.size(); ++l)
      EXPECT_LE(found->children[l] + found->parents[l + 1], 128U) << gpus;
    EXPECT_LE(found->children.back(), 128U) << gpus;
  }
}

TEST(Sizes, ARadixCanBeAskedFor) {
  const auto levels = [](const std::string& words) {
    return LinkTiers(MakeFabric("FatTree --gpus 4096 " + words)).levels().back();
  };
  EXPECT_EQ(levels(""), 2U);
  EXPECT_EQ(levels("-bw 800Gbps"), 3U) << "64 ports of 800 Gbps";
  EXPECT_EQ(levels("--radix 64"), 3U);
  EXPECT_THROW(PlanFabric("FatTree -k 4 --radix 64"), UsageError);
}

TEST(Sizes, GridsAreEven) {
  GridWish wish;
  wish.size = {512, 8, 1};
  EXPECT_EQ(FindGridSizes(wish)->lengths, (Lengths{8, 8, 8}));
  EXPECT_DOUBLE_EQ(MiddleRatio(Line::kRing, *FindGridSizes(wish)), 2);
  wish.has_ratio = true;
  EXPECT_EQ(FindGridSizes(wish)->lengths, (Lengths{2, 4, 4, 4, 4}));
  wish.line = Line::kFull;
  wish.dimensions = 2;
  EXPECT_EQ(FindGridSizes(wish)->lengths, (Lengths{8, 16}));
  EXPECT_EQ(FindGridSizes(wish)->gpus_per_router, 4U);
  wish.gpus_per_router = 1;
  EXPECT_EQ(FindGridSizes(wish)->lengths.front(), 2U);  // one cable a router across that
  wish.line = Line::kOpen;
  wish.has_ratio = false;
  wish.size.gpus = 8 * 101;
  EXPECT_FALSE(FindGridSizes(wish));
}

/// Kim et al., figure 5: a = 4, h = p = 2, 9 groups, 72 terminals.
TEST(Sizes, TheExampleOfTheDragonflyIsFound) {
  const auto found = FindDragonflySizes({{72, 8, 1}, false, {}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->routers, 4U);
  EXPECT_EQ(found->global_links, 2U);
  EXPECT_EQ(found->gpus_per_router, 2U);
  EXPECT_EQ(found->groups, 9U);
  DragonflyWish fixed{{512, 8, 1}, false, {8, 0, 0, 0}};
  EXPECT_EQ(FindDragonflySizes(fixed)->gpus_per_router, 8U);
  EXPECT_FALSE(FindDragonflySizes({{8 * 101, 8, 1}, false, {3, 0, 0, 0}}));
}

/// Every found fabric has the GPUs, and GPU ports per cable of its narrow place within 10 %.
TEST(Sizes, RatiosAreKept) {
  for (const std::uint32_t gpus : {64U, 128U, 256U, 512U, 768U}) {
    for (const int ratio : {1, 2}) {
      const std::string wish =
          " --gpus " + std::to_string(gpus) + " --oversubscription " + std::to_string(ratio);
      for (const char* name : {"FatTree", "MultiPlane"}) {
        const Graph graph = MakeFabric(name + wish);
        EXPECT_EQ(graph.gpu_count(), gpus) << name << wish;
        for (const TierBandwidth& tier : TierBandwidths(graph)) {
          EXPECT_TRUE(tier.is_top() || IsNear(tier.ratio(), ratio)) << name << wish;
        }
      }
      for (const bool has_spines : {false, true}) {
        const auto found = FindDragonflySizes({{gpus, 8, 1.0 * ratio}, has_spines, {}});
        ASSERT_TRUE(found) << wish;
        const std::uint32_t bearers = has_spines ? found->gpus_per_router : found->routers;
        const std::uint32_t pair = bearers * found->global_links / (found->groups - 1);
        const std::uint32_t in_group = found->gpus_per_router * found->routers;
        EXPECT_EQ(in_group * found->groups, gpus) << wish;
        EXPECT_EQ(in_group % 8, 0U) << wish;
        EXPECT_TRUE(IsNear(1.0 * in_group / (pair * (found->groups - 1)), ratio)) << wish;
        EXPECT_EQ(MakeFabric((has_spines ? "DragonflyPlus" : "Dragonfly") + wish).gpu_count(),
                  gpus);
      }
    }
  }
}

TEST(Sizes, RefusalsNameWhatIsNear) {
  EXPECT_EQ(Refusal("FatTree --gpus 808 --radix 64"),
            "FatTree: no sizes give 808 GPUs (--gpus) in servers of 8. Expected: a number near it, "
            "such as 800 or 816; a switch has up to 64 ports (--radix), and a leaf whole servers");
  EXPECT_NE(Refusal("RailTree --gpus 1048")
                .find("such as 1040 or 1056; a switch has up to 128 "
                      "ports (--radix), and leaves are full"),
            std::string::npos)
      << "131 servers";
  EXPECT_NE(Refusal("Mesh --gpus 512 --oversubscription 1").find("for 4 : 1 of -dims 8x8x8"),
            std::string::npos);
  EXPECT_NE(Refusal("Torus --gpus 100").find("a multiple of 8, such as 104"), std::string::npos);
  EXPECT_NE(Refusal("ScaleUp --gpus 100").find("a multiple of 72, such as 144"), std::string::npos);
  EXPECT_NE(Refusal("RailOnly --gpus 1024 -ov 1000").find("the nearest that whole spines reach is"),
            std::string::npos);
  for (const char* both : {"FatTree --gpus 64 -k 4", "Torus --gpus 64 -dims 4x4x4", "Torus -ov 1",
                           "ScaleUp --gpus 144 -racks 2", "RailOnly -ov 1 -spr 4",
                           "DragonflyPlus --gpus 64 -spines 4"}) {
    EXPECT_THROW(PlanFabric(both), UsageError) << both;
  }
}

}  // namespace
}  // namespace heddle
