// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_size_ratio.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::uint64_t kRatioMiB = 1 << 20;

TEST(SimaiSizeRatio, ColumnsByNodes) {
  const int nodes[] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(SimaiRatioColumn(nodes[i]), i + 1) << nodes[i];
  EXPECT_EQ(SimaiRatioColumn(9), 9);
}

TEST(SimaiSizeRatio, OtherNumbersOfNodesHaveTheColumnOf16) {
  for (const int nodes : {0, 3, 5, 12, 256}) EXPECT_EQ(SimaiRatioColumn(nodes), 5) << nodes;
}

TEST(SimaiSizeRatio, CellsOfEachTable) {
  EXPECT_DOUBLE_EQ(SimaiRatioCell(SimaiRatioTable::kNic, 0, 8), 0.0087);
  EXPECT_DOUBLE_EQ(SimaiRatioCell(SimaiRatioTable::kNvlink, 6, 4), 0.86);
  EXPECT_DOUBLE_EQ(SimaiRatioCell(SimaiRatioTable::kAllToAll, 10, 5), 0.9);
  EXPECT_DOUBLE_EQ(SimaiRatioCell(SimaiRatioTable::kAllToAll, 0, 9), 0.86);
  EXPECT_DOUBLE_EQ(SimaiRatioCell(SimaiRatioTable::kNvlink, 0, 6), 1);  // empty in the file
}

TEST(SimaiSizeRatio, IsOverTheLastRow) {
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kNic, 64 * kRatioMiB, 1), 0.65F / 0.81F);
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kAllToAll, 1024 * kRatioMiB, 4), 0.94F / 0.95F);
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kNic, kSimaiLastRatioSize, 2), 1);
}

TEST(SimaiSizeRatio, IsLinearBetweenRowsAndFlatBelow) {
  // 48 MiB: halfway between 0.55 and 0.65.
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kNic, 48 * kRatioMiB, 1), 0.6F / 0.81F);
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kNic, kRatioMiB, 1), 0.45F / 0.81F);
  EXPECT_FLOAT_EQ(SimaiSizeRatio(SimaiRatioTable::kNic, 0, 1), 1);
}

}  // namespace
}  // namespace heddle
