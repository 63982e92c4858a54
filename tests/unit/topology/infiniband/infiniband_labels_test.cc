// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband/infiniband_labels.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Texts = std::vector<std::string>;

TEST(InfinibandLabels, ADescriptionThatIsUniqueStandsAlone) {
  EXPECT_EQ(InfinibandLabels({"H1", "S2"}, {"node01 HCA-1", "leaf3"}),
            (Texts{"node01 HCA-1", "leaf3"}));
}

TEST(InfinibandLabels, OthersHaveTheirNames) {
  EXPECT_EQ(InfinibandLabels({"H1", "H2", "S3", "S4"}, {"node HCA-1", "node HCA-1", "", "  "}),
            (Texts{"node HCA-1 (H1)", "node HCA-1 (H2)", "S3", "S4"}));
}

/// A description is free text of whoever set it.
TEST(InfinibandServers, HcasOfOneHostAreOneServer) {
  using Servers = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(InfinibandServers({"a HCA-1", "b mlx5_0", "a HCA-2", "b mlx5_1 ", "leaf"}, 4),
            (Servers{{0, 2}, {1, 3}}));
  EXPECT_EQ(InfinibandServers({"row 2 node 7 mlx5_0", "row 2 node 7 mlx5_3"}, 2),
            (Servers{{0, 1}}));
}

TEST(InfinibandServers, WhatNamesNoDeviceIsAServerOfItsOwn) {
  using Servers = std::vector<std::vector<std::uint32_t>>;
  const std::string factory = "MT4119 ConnectX5   Mellanox Technologies";
  EXPECT_EQ(InfinibandServers({factory, factory, "", "HCA-1", "a HCA-", "a  "}, 6),
            (Servers{{0}, {1}, {2}, {3}, {4}, {5}}));
}

TEST(InfinibandLabels, WhatATerminalObeysIsWrittenOut) {
  const std::string label = InfinibandLabels({"H1"}, {"a\x1b[31m\nb"}).front();
  for (const char c : label) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << label;
}

}  // namespace
}  // namespace heddle
