// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/paths_over_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "io/failures/outages.h"
#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

using Links = std::vector<std::uint32_t>;

Links NumbersOf(const std::vector<LinkId>& links) {
  Links numbers;
  for (const LinkId link : links) numbers.push_back(link.value);
  return numbers;
}

/// The stretches of all flows of a run; each follows the one before it.
std::vector<std::vector<PathStretch>> StretchesOf(const MadeResult& result) {
  const ViewedRun run(result);
  const Table flows = run.source.reader().ReadTable("flows");
  const PathsOverTime paths(run.source, flows, ReadOutages(run.source).events);
  std::vector<std::vector<PathStretch>> all;
  for (std::size_t row = 0; row < GetColumn<std::uint32_t>(flows, "src").size(); ++row) {
    all.emplace_back();
    paths.Of(row, run.source.end_ps(), &all.back());
    for (std::size_t i = 1; i < all.back().size(); ++i)
      EXPECT_EQ(all.back()[i].from_ps, all.back()[i - 1].to_ps);
  }
  return all;
}

TEST(PathsOverTime, FollowTheRoutesThatApply) {
  MadeResult result = TwoLeafRun({{0, 2, 0, 2000, PortOver(8, 8)}});
  LetLinkFail(6, 8, &result);
  const std::vector<PathStretch> stretches = StretchesOf(result).at(0);
  ASSERT_EQ(stretches.size(), 3u);
  EXPECT_EQ(NumbersOf(stretches[0].links), (Links{4, 8, 10, 6}));
  EXPECT_EQ(stretches[0].to_ps, 600) << "100 ps after the failure";
  EXPECT_EQ(NumbersOf(stretches[1].links), (Links{4, 9, 11, 6}));
  EXPECT_EQ(stretches[1].to_ps, 1600);
  EXPECT_EQ(NumbersOf(stretches[2].links), (Links{4, 8, 10, 6}));
  EXPECT_EQ(stretches[2].to_ps, 2000);
  EXPECT_EQ(stretches[2].epoch, 2u);
}

// Ended when routes changed; began while others applied.
TEST(PathsOverTime, AreOfTheFlowsLifeOnly) {
  const std::uint16_t port = PortOver(8, 8);
  MadeResult result = TwoLeafRun({{0, 2, 0, 600, port}, {0, 2, 600, 1000, port}});
  LetLinkFail(6, 8, &result);
  const auto all = StretchesOf(result);
  ASSERT_EQ(all[0].size(), 1u);
  EXPECT_EQ(all[0][0].to_ps, 600);
  EXPECT_EQ(all[0][0].epoch, 0u);
  ASSERT_EQ(all[1].size(), 1u);
  EXPECT_EQ(all[1][0].epoch, 1u);
  EXPECT_EQ(NumbersOf(all[1][0].links), (Links{4, 9, 11, 6}));
}

TEST(PathsOverTime, OfAFlowThatDidNotEndLastToTheEnd) {
  const auto all = StretchesOf(TwoLeafRun({{0, 2, 700, -1, 1, 5}, {0, 2, 700, -1, 1, 1}}));
  ASSERT_EQ(all[0].size(), 1u);
  EXPECT_EQ(all[0][0].from_ps, 700);
  EXPECT_EQ(all[0][0].to_ps, 3000);
  EXPECT_TRUE(all[1].empty()) << "it never started";
}

// Link 6 is GPU 2's only one: its leaf has no route on from 600 to 1600 ps.
TEST(PathsOverTime, MayEndWhereNoRouteLeadsOn) {
  MadeResult result = TwoLeafRun({{0, 2, 0, 2000, PortOver(8, 8)}});
  LetLinkFail(7, 2, &result);
  const std::vector<PathStretch> stretches = StretchesOf(result).at(0);
  ASSERT_EQ(stretches.size(), 3u);
  EXPECT_TRUE(stretches[0].has_path);
  EXPECT_FALSE(stretches[1].has_path);
  EXPECT_EQ(stretches[1].to_ps - stretches[1].from_ps, 1000);
  EXPECT_LT(stretches[1].links.size(), 4u);
  EXPECT_TRUE(stretches[2].has_path);
}

TEST(PathsOverTime, OfAcknowledgementsGoBack) {
  MadeResult result = TwoLeafRun({{0, 2, 0, 2000, PortOver(9, 8)}});
  LetLinkFail(6, 8, &result);
  const ViewedRun run(result);
  const Table flows = run.source.reader().ReadTable("flows");
  const PathsOverTime paths(run.source, flows, ReadOutages(run.source).events);
  EXPECT_EQ(paths.convergence_ps(), 100);
  EXPECT_EQ(paths.TimeOf(1), 600);
  EXPECT_EQ(NumbersOf(paths.Healthy(0)), (Links{4, 9, 11, 6}));
  EXPECT_EQ(NumbersOf(paths.OfAcks(0, 0)), (Links{6, 10, 8, 4}));
  EXPECT_EQ(NumbersOf(paths.OfAcks(0, 1)), (Links{6, 11, 9, 4}));
}

TEST(PathsOverTime, OfANodeThatEndsNoFlowsAreRefused) {
  EXPECT_NE(MessageOf([] {
              StretchesOf(TwoLeafRun({{0, 77}}));
            }).find("does not have"),
            std::string::npos);
  EXPECT_NE(MessageOf([] {
              StretchesOf(TwoLeafRun({{8, 2}}));
            }).find("does not have"),
            std::string::npos)
      << "a spine";
}

}  // namespace
}  // namespace heddle
