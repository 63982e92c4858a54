// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/worst_ports.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "io/collisions/spine_load.h"

namespace heddle {
namespace {

/// Flows with the ports of each.
CollisionAnalysis Shared(const std::vector<std::vector<HopIndex>>& ports,
                         const std::vector<FlowSpan>& spans) {
  PortLists lists;
  for (const std::vector<HopIndex>& list : ports) {
    for (const HopIndex port : list) lists.Push(port);
    lists.EndFlow();
  }
  return {lists, spans, 8};
}

// Port 1: one pair for 10 ps. Port 2: one pair for 40 ps. Port 3: three pairs. Port 4: one flow.
TEST(WorstPorts, AreThoseWithMostPairsThenThoseSharedLongest) {
  const CollisionAnalysis analysis =
      Shared({{1, 3}, {1, 3, 4}, {2, 3}, {2}}, {{0, 50}, {40, 90}, {45, 100}, {60, 100}});
  const WorstPorts found = FindWorstPorts(analysis, 2);
  EXPECT_EQ(found.all, 3u);
  ASSERT_EQ(found.ports.size(), 2u);
  EXPECT_EQ(found.ports[0].port, 3u);
  EXPECT_EQ(found.ports[0].pairs, 3u);
  EXPECT_EQ(found.ports[1].port, 2u);
  EXPECT_EQ(found.ports[1].shared_ps, 40);
  EXPECT_EQ(found.fullest.size(), 2u);
}

TEST(WorstPorts, AreNoneIfFlowsOnlyTouch) {
  const WorstPorts found = FindWorstPorts(Shared({{1}, {1}, {2}}, {{0, 50}, {50, 90}, {0, 9}}), 5);
  EXPECT_EQ(found.all, 0u);
  EXPECT_TRUE(found.ports.empty());
  EXPECT_TRUE(found.fullest.empty());
  EXPECT_EQ(FindWorstPorts(Shared({}, {}), 5).all, 0u);
}

// Flow 0 all the time; 1 in [10, 20), 2 in [30, 60), 3 and 4 in [70, 80), 5 in [90, 95): periods of
// 2, 2, 3 and 2 flows. The three fullest: [70, 80), then the longest of 2, which is [30, 60), then
// [10, 20). Shown by time.
TEST(WorstPorts, ShowTheFullestPeriodsByTime) {
  const CollisionAnalysis analysis = Shared(
      {{1}, {1}, {1}, {1}, {1}, {1}}, {{0, 100}, {10, 20}, {30, 60}, {70, 80}, {70, 80}, {90, 95}});
  const WorstPorts worst = FindWorstPorts(analysis, 1);
  const FullestPeriods& found = worst.fullest.at(1);
  EXPECT_EQ(found.all, 4u);
  ASSERT_EQ(found.periods.size(), 3u);
  EXPECT_EQ(found.periods[0].when.from, 10);
  EXPECT_EQ(found.periods[1].when.from, 30);
  EXPECT_EQ(found.periods[2].when.from, 70);
  EXPECT_EQ(found.periods[0].first, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(found.periods[2].first, (std::vector<std::uint32_t>{0, 3, 4}));
  EXPECT_EQ(found.periods[2].flows, 3u);
}

// Nine flows, one ends at a time: periods of 9, 8, ..., 2 flows. Only that of nine is shown, and
// eight of its flows are listed.
TEST(WorstPorts, ShowAPeriodOfManyFlowsAlone) {
  std::vector<FlowSpan> spans;
  for (std::int64_t flow = 0; flow < 9; ++flow) spans.push_back({0, 10 + flow});
  const WorstPorts worst =
      FindWorstPorts(Shared(std::vector<std::vector<HopIndex>>(9, {1}), spans), 1);
  EXPECT_EQ(worst.ports.at(0).pairs, 36u) << "9 * 8 / 2";
  const FullestPeriods& found = worst.fullest.at(1);
  EXPECT_EQ(found.all, 8u);
  ASSERT_EQ(found.periods.size(), 1u);
  EXPECT_EQ(found.periods[0].flows, 9u);
  std::vector<std::uint32_t> first(FullPeriod::kNamed);
  std::iota(first.begin(), first.end(), 0u);
  EXPECT_EQ(found.periods[0].first, first);
}

SpineTier TierOf(const std::vector<SpineLoad>& spines) { return {2, spines}; }

// Means of three switches: 2 flows and 400 bytes; the most are 4 flows and 600 bytes.
TEST(SpineSums, RatiosAreTheMostOverTheMean) {
  const SpineSums sums = SumsOf(TierOf({{NodeId(8), 4, 600}, {NodeId(9), 2, 600}, {NodeId(7)}}));
  EXPECT_EQ(sums.flows, 6u);
  EXPECT_EQ(sums.bytes, 1200);
  EXPECT_EQ(sums.used, 2u);
  EXPECT_DOUBLE_EQ(sums.flows_ratio, 2);
  EXPECT_DOUBLE_EQ(sums.bytes_ratio, 1.5);
}

TEST(SpineSums, OfFlowsWithoutBytesAreNumbers) {
  const SpineSums sums = SumsOf(TierOf({{NodeId(8), 3, 0}, {NodeId(9), 3, 0}}));
  EXPECT_EQ(sums.flows_ratio, 1);
  EXPECT_EQ(sums.bytes_ratio, 0);
  EXPECT_EQ(SumsOf(TierOf({})).flows_ratio, 0);
}

TEST(SpineSums, FullestSwitchesComeFirstOnlyIfSomeAreLeftOut) {
  const SpineTier tier = TierOf({{NodeId(7), 1, 0}, {NodeId(8), 3, 0}, {NodeId(9), 3, 0}});
  std::vector<SpineLoad> all = FullestOf(tier, 3);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].spine.value, 7u);
  all = FullestOf(tier, 2);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].spine.value, 8u) << "equal ones by number";
  EXPECT_EQ(all[1].spine.value, 9u);
}

}  // namespace
}  // namespace heddle
