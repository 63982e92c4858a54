// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/link_users.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

constexpr std::uint64_t kAllFlows = ~std::uint64_t{0};

/// The users of the link from leaf 7 to GPU 2, and of GPU 0's own link to its leaf.
std::vector<LinkUse> UsesOf(const MadeResult& result, std::size_t most_users = 9,
                            std::uint64_t most_flows = kAllFlows) {
  const ViewedRun run(result);
  const HopNumbers& numbers = run.source.numbers();
  return FindLinkUsers(run.source,
                       {numbers.Of(NodeId(7), PortId(0)), numbers.Of(NodeId(0), PortId(1))},
                       most_users, most_flows);
}

/// Each flow has 1000 bytes.
MadeResult ThreeFlows() {
  return TwoLeafRun({{1, 2, 0, 100, 1}, {0, 2, 0, 100, 1}, {0, 2, 0, 100, 2}, {0, 3, 0, 100, 3}});
}

TEST(LinkUsers, ArePairsOfEndsWithMostBytesFirst) {
  const std::vector<LinkUse> uses = UsesOf(ThreeFlows());
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].flows, 3);
  EXPECT_EQ(uses[0].bytes, 3000);
  EXPECT_EQ(uses[0].users_in_all, 2);
  ASSERT_EQ(uses[0].users.size(), 2u);
  EXPECT_EQ(uses[0].users[0].name, "server 0 / GPU 0 to server 1 / GPU 0");
  EXPECT_EQ(uses[0].users[0].flows, 2);
  EXPECT_EQ(uses[0].users[0].bytes, 2000);
  EXPECT_EQ(uses[0].users[1].bytes, 1000);
  EXPECT_EQ(uses[1].flows, 3) << "GPU 0 sent three on its own link";
}

TEST(LinkUsers, ThatAreNotListedCountStill) {
  const LinkUse use = UsesOf(ThreeFlows(), 1).at(0);
  EXPECT_EQ(use.users.size(), 1u);
  EXPECT_EQ(use.users_in_all, 2);
  EXPECT_EQ(use.bytes, 3000);
  EXPECT_TRUE(UsesOf(ThreeFlows(), 0).at(0).users.empty());
}

// Equal bytes: the source with the least number first.
TEST(LinkUsers, EqualOnesAreByTheirEnds) {
  const LinkUse use = UsesOf(TwoLeafRun({{1, 2}, {0, 2}})).at(0);
  ASSERT_EQ(use.users.size(), 2u);
  EXPECT_EQ(use.users[0].name, "server 0 / GPU 0 to server 1 / GPU 0");
}

TEST(LinkUsers, AreOfTheFirstFlows) {
  const std::vector<LinkUse> uses = UsesOf(ThreeFlows(), 9, 2);
  EXPECT_EQ(uses.at(0).flows, 2);
  EXPECT_EQ(uses.at(1).flows, 1);
}

TEST(LinkUsers, AreNoFlowsThatNeverStarted) {
  const LinkUse use = UsesOf(TwoLeafRun({{0, 2, 0, -1, 1, 1}, {1, 2, 0, -1, 1, 5}})).at(0);
  EXPECT_EQ(use.flows, 1);
  ASSERT_EQ(use.users.size(), 1u);
  EXPECT_EQ(use.users[0].name, "server 0 / GPU 1 to server 1 / GPU 0");
}

// Operations 0 and 2 are of the same kind, in the first pass and the second one.
TEST(LinkUsers, OfAWorkloadAreKindsOfCommunication) {
  MadeResult result =
      TwoLeafRun({{0, 2, 0, 100, 1, 0, 0}, {0, 2, 0, 100, 1, 0, 1}, {0, 2, 0, 100, 1, 0, 2}});
  result.tables.push_back(TableOf("operations", 2,
                                  {{"phase", Texts{"fwd", "wg"}},
                                   {"op", Texts{"ALLGATHER", "ALLREDUCE"}},
                                   {"group_type", Texts{"TP", "DP"}}}));
  const LinkUse use = UsesOf(result).at(0);
  ASSERT_EQ(use.users.size(), 2u);
  EXPECT_EQ(use.users[0].name, "job 0: fwd ALLGATHER of TP");
  EXPECT_EQ(use.users[0].bytes, 2000);
  EXPECT_EQ(use.users[1].name, "job 0: wg ALLREDUCE of DP");
}

TEST(LinkUsers, AreNotKnownOfPacketsThatTakeSeveralPaths) {
  MadeResult result = ThreeFlows();
  result.root["sprayed_by"] = std::string("balance.ports=random");
  EXPECT_TRUE(UsesOf(result).empty());
  EXPECT_TRUE(UsesOf(TwoLeafRun({})).empty());
  const ViewedRun run(ThreeFlows());
  EXPECT_TRUE(FindLinkUsers(run.source, {}, 9, kAllFlows).empty());
}

}  // namespace
}  // namespace heddle
