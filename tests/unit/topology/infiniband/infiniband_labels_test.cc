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
TEST(InfinibandLabels, WhatATerminalObeysIsWrittenOut) {
  const std::string label = InfinibandLabels({"H1"}, {"a\x1b[31m\nb"}).front();
  for (const char c : label) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << label;
}

}  // namespace
}  // namespace heddle
