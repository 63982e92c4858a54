// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/message_latency.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr GroupSpread kNearGroup{8, 1, 8, 8};
constexpr GroupSpread kFarGroup{32, 4, 8, 8};

/// [us]
double Microseconds(Operation operation, Algorithm algorithm, Protocol protocol,
                    const GroupSpread& spread) {
  return LatencyOf(operation, algorithm, protocol, spread) * 1e6;
}

TEST(MessageLatency, OneMessageIsSimaisTable) {
  const GroupSpread near{2, 1, 2, 2}, far{2, 2, 1, 1};
  const auto gather = Operation::kAllGather;
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kLl, near), 7.2, 1e-9);
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kLl128, near), 15.9, 1e-9);
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kSimple, near), 11.8, 1e-9);
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kLl, far), 9.3, 1e-9);
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kLl128, far), 18, 1e-9);
  EXPECT_NEAR(Microseconds(gather, Algorithm::kRing, Protocol::kSimple, far), 22.4, 1e-9);
  EXPECT_NEAR(Microseconds(Operation::kAllReduce, Algorithm::kNvls, Protocol::kSimple, kNearGroup),
              25, 1e-9);
}

TEST(MessageLatency, StepsOfRings) {
  const StepsInRow inside = StepsOf(Operation::kAllReduce, Algorithm::kRing, kNearGroup);
  EXPECT_EQ(inside.inside, 14);
  EXPECT_EQ(inside.between, 0);
  const StepsInRow across = StepsOf(Operation::kAllReduce, Algorithm::kRing, kFarGroup);
  EXPECT_EQ(across.inside, 54);
  EXPECT_EQ(across.between, 8);
  EXPECT_EQ(StepsOf(Operation::kAllGather, Algorithm::kRing, kFarGroup).inside, 27);
}

TEST(MessageLatency, StepsOfTreesAndNvls) {
  const StepsInRow tree = StepsOf(Operation::kAllReduce, Algorithm::kTree, kFarGroup);
  EXPECT_EQ(tree.inside, 14);
  EXPECT_EQ(tree.between, 4);
  // 25 + 4 x 20.9.
  EXPECT_NEAR(
      Microseconds(Operation::kAllReduce, Algorithm::kNvlsTree, Protocol::kSimple, kFarGroup),
      108.6, 1e-9);
}

TEST(MessageLatency, RingOfEightByLl) {
  // 6.6 + 14 x 0.6.
  EXPECT_NEAR(Microseconds(Operation::kAllReduce, Algorithm::kRing, Protocol::kLl, kNearGroup), 15,
              1e-9);
}

TEST(MessageLatency, NvlsHasSimpleOnly) {
  EXPECT_FALSE(HasLatency(Algorithm::kNvls, Protocol::kLl));
  EXPECT_FALSE(HasLatency(Algorithm::kNvlsTree, Protocol::kLl128));
  EXPECT_TRUE(HasLatency(Algorithm::kNvls, Protocol::kSimple));
  EXPECT_TRUE(HasLatency(Algorithm::kDirect, Protocol::kLl));
}

}  // namespace
}  // namespace heddle
