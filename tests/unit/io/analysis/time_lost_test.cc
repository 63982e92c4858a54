// SPDX-License-Identifier: GPL-2.0-only
/// Losses of flows that are made by hand, on the fabric of tests/unit/io/two_leaves.h.
#include "io/analysis/time_lost.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "io/analysis/flow_view.h"
#include "tests/support/made_result.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

struct TimedFlow {
  std::uint32_t src, dst;
  std::int64_t start, fct, ideal;
  std::uint8_t state = 0;
};

Table TimedFlows(const std::vector<TimedFlow>& flows, const std::vector<Present>& optional = {}) {
  U32 src, dst;
  I64 start, fct, ideal;
  U8 state;
  for (const TimedFlow& flow : flows) {
    src.push_back(flow.src);
    dst.push_back(flow.dst);
    start.push_back(flow.start);
    fct.push_back(flow.fct);
    ideal.push_back(flow.ideal);
    state.push_back(flow.state);
  }
  return TableOf("flows", flows.size(),
                 {{"src", src},
                  {"dst", dst},
                  {"start_ps", start},
                  {"fct_ps", fct},
                  {"ideal_ps", ideal},
                  {"state", state}},
                 optional);
}

std::vector<double> LostOf(const std::vector<TimedFlow>& flows) {
  const Table table = TimedFlows(flows);
  return TimesLost(TwoLeaves(), FlowView(table));
}

using Lost = std::vector<double>;

TEST(TimesLost, AreBeyondTheTimeAlone) {
  EXPECT_EQ(LostOf({{0, 2, 0, 100, 100}, {1, 3, 0, 250, 100}}), (Lost{0, 150}));
  EXPECT_EQ(LostOf({}), Lost{});
}

// Two at once over one port take twice as long, three three times: nobody else is to blame.
TEST(TimesLost, AreNotWhatFlowsOfTheSameSourceTook) {
  EXPECT_EQ(LostOf({{0, 2, 0, 200, 100}, {0, 3, 0, 200, 100}}), (Lost{0, 0}));
  for (const double lost : LostOf({{0, 2, 0, 300, 100}, {0, 3, 0, 300, 100}, {0, 2, 0, 300, 100}}))
    EXPECT_NEAR(lost, 0, 1e-9);
}

// The second shares the first one's last 100 of 200: of the 100 it took longer 50 are its own.
TEST(TimesLost, CountTheOverlapOnly) {
  EXPECT_EQ(LostOf({{0, 2, 0, 200, 100}, {0, 3, 100, 100, 50}}), (Lost{50, 0}));
}

TEST(TimesLost, OfOneAfterTheOtherAreNotShared) {
  EXPECT_EQ(LostOf({{0, 3, 100, 200, 100}, {0, 2, 0, 100, 100}}), (Lost{100, 0}));
}

// To GPU 1 of the same server over NVLink, to GPU 2 over the network.
TEST(TimesLost, NvLinkAndNetworkAreApart) {
  EXPECT_EQ(LostOf({{0, 1, 0, 200, 100}, {0, 2, 0, 200, 100}}), (Lost{100, 100}));
}

TEST(TimesLost, AreNeverNegative) {
  EXPECT_EQ(LostOf({{0, 2, 0, 110, 100}, {0, 3, 0, 110, 100}}), (Lost{0, 0}));
}

// The one that did not end shared the port all the time; the one that never started did not.
TEST(TimesLost, AFlowThatDidNotEndTookItsPartOfThePort) {
  EXPECT_EQ(LostOf({{0, 2, 0, 200, 100}, {0, 3, 0, -1, 100, 5}}), (Lost{0, 0}));
  EXPECT_EQ(LostOf({{0, 2, 0, 200, 100}, {0, 3, 0, -1, 100, 1}}), (Lost{100, 0}));
}

// Losses 50, 200, 10 and 9 of times of 1000: the last one is below a hundredth.
TEST(MostLost, AreTheWorstFirstWithoutLittleOnes) {
  const Table table = TimedFlows({{0, 2, 0, 1000, 950},
                                  {1, 2, 0, 1000, 800},
                                  {2, 0, 0, 1000, 989},
                                  {3, 0, 0, 1000, 991},
                                  {3, 1, 0, -1, 10, 5}});
  const FlowView flows(table);
  const std::vector<double> lost = TimesLost(TwoLeaves(), flows);
  EXPECT_EQ(MostLost(flows, lost, 9), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(MostLost(flows, lost, 1), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(MostLost(flows, lost, 0).empty());
}

TEST(FlowView, HasEndsAndSlowdowns) {
  const Table table = TimedFlows({{0, 2, 50, 300, 100}, {0, 2, 50, -1, 100, 5}, {0, 2, 50, 9, 0}});
  const FlowView flows(table);
  EXPECT_EQ(flows.end(0), 350);
  EXPECT_EQ(flows.end(1), Time::Max().ps);
  EXPECT_EQ(flows.slowdown(0), 3);
  EXPECT_EQ(flows.slowdown(2), 0) << "without an ideal time";
  EXPECT_EQ(flows.job, nullptr) << "a trace";
}

// [0, 100) and [99, 150) meet, [100, 150) only touches the first; a flow does not meet itself, nor
// one that never started.
TEST(FlowView, FlowsCompeteWhileBothAreUnderWay) {
  const Table table = TimedFlows({{0, 2, 0, 100, 1},
                                  {0, 2, 99, 51, 1},
                                  {0, 2, 100, 50, 1},
                                  {0, 2, 10, -1, 1, 5},
                                  {0, 2, 10, -1, 1, 1}});
  const FlowView flows(table);
  EXPECT_TRUE(flows.Compete(0, 1));
  EXPECT_FALSE(flows.Compete(0, 2));
  EXPECT_TRUE(flows.Compete(2, 3)) << "the fourth did not end";
  EXPECT_FALSE(flows.Compete(0, 0));
  EXPECT_FALSE(flows.Compete(0, 4));
  EXPECT_FALSE(flows.Compete(4, 3));
}

// Of one connection: another operation follows, as does another chunk; the same chunk does not.
TEST(FlowView, MessagesOfAConnectionFollowEachOther) {
  Table table = TimedFlows(std::vector<TimedFlow>(5, {0, 2, 0, 100, 1}), {Present::kJobs});
  for (Column& column : table.columns) {
    if (column.name == "operation") column.data = U32{0, 1, 0, 0, 0};
    if (column.name == "chunk") column.data = U32{0, 0, 3, 0, 3};
    if (column.name == "channel") column.data = U16{0, 0, 0, 0, 1};
  }
  const FlowView flows(table);
  ASSERT_NE(flows.job, nullptr);
  EXPECT_TRUE(flows.Follow(0, 1));
  EXPECT_TRUE(flows.Follow(0, 2));
  EXPECT_FALSE(flows.Follow(0, 3)) << "two queue pairs of one message";
  EXPECT_FALSE(flows.Follow(0, 4)) << "another channel";
  EXPECT_FALSE(flows.Compete(0, 1));
  EXPECT_TRUE(flows.Compete(0, 3));
}

}  // namespace
}  // namespace heddle
