// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/collective_spec.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(BusFactor, IsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor(Operation::kAllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(BusFactor(Operation::kAllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(BusFactor(Operation::kReduceScatter, 8), 0.875);
  EXPECT_DOUBLE_EQ(BusFactor(Operation::kAllToAll, 4), 0.75);
  for (const Operation operation :
       {Operation::kBroadcast, Operation::kReduce, Operation::kSendRecv}) {
    EXPECT_DOUBLE_EQ(BusFactor(operation, 8), 1);
  }
}

TEST(Names, OfAlgorithmsAndProtocols) {
  EXPECT_STREQ(ToText(Algorithm::kTree), "TREE");
  EXPECT_STREQ(ToText(Algorithm::kNvlsTree), "NVLS_TREE");
  EXPECT_STREQ(ToText(Algorithm::kDirect), "DIRECT");
  EXPECT_STREQ(ToText(Protocol::kLl128), "LL128");
  EXPECT_STREQ(ToText(Protocol::kNone), "NONE");
}

}  // namespace
}  // namespace heddle
