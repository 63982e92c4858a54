// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/schedule/collective_spec.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/traffic/future_visitors.h"

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

std::vector<std::uint64_t> WordsOf(const CollectiveSpec& spec) {
  std::vector<std::uint64_t> words;
  FutureWords visit(&words);
  CollectiveSpec::VisitFuture(spec, visit);
  return words;
}

/// Whether neither schedules and prices (by order) nor replays (by words) take them for equal.
void ExpectDifferent(const CollectiveSpec& a, const CollectiveSpec& b) {
  EXPECT_NE(a < b, b < a);
  EXPECT_NE(WordsOf(a), WordsOf(b));
}

TEST(CollectiveSpec, IsEqualToOthersOnlyIfAllMembersAre) {
  const CollectiveSpec spec{Operation::kAllToAll, GroupType::kExpert, 4096, 0};
  EXPECT_FALSE(spec < spec);
  CollectiveSpec other = spec;
  other.operation = Operation::kAllGather;
  ExpectDifferent(spec, other);
  other = spec;
  other.group = GroupType::kTensor;
  ExpectDifferent(spec, other);
  other = spec;
  other.bytes = 4097;
  ExpectDifferent(spec, other);
  other = spec;
  other.root = 1;
  ExpectDifferent(spec, other);
  other = spec;
  other.peer = 1;
  ExpectDifferent(spec, other);
}

TEST(CollectiveSpec, SizesOfPairsCountByWhatTheyHold) {
  const PairSizes few{{0, 1, 2, 0}}, many{{0, 2, 1, 0}}, again{{0, 1, 2, 0}};
  CollectiveSpec alike{Operation::kAllToAll, GroupType::kExpert, 4096, 0}, a = alike, b = alike;
  a.sizes = &few;
  b.sizes = &many;
  ExpectDifferent(alike, a);
  ExpectDifferent(a, b);
  b.sizes = &again;
  EXPECT_FALSE(a < b || b < a);
  EXPECT_EQ(WordsOf(a), WordsOf(b));
}

}  // namespace
}  // namespace heddle
