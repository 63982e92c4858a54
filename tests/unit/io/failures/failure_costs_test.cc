// SPDX-License-Identifier: GPL-2.0-only
#include "io/failures/failure_costs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

using Fate = FlowFate::Kind;

CausedPiece MessagePiece(std::size_t row, StepCause cause, std::int64_t ps) {
  CausedPiece piece;
  piece.piece.kind = PathPiece::Kind::kMessage;
  piece.piece.row = row;
  piece.part = {cause, kNoHop, ps};
  return piece;
}

// Row 0 was on outage 1, 30 ps of them without a path: 50 in timeouts, 20 and 25 otherwise, of
// which 20 + 10 without a path and 15 not. Row 1 took another path because of outage 0: 40 + 5.
TEST(JobCosts, AreWhatMessagesLostBeyondTheirLinksRates) {
  const std::vector<FlowFate> fates = {{1, Fate::kOnIt, 30}, {0, Fate::kDetour, 0}, {}};
  const std::vector<JobCost> costs = CostsOf(
      {MessagePiece(0, StepCause::kLineRate, 100), MessagePiece(0, StepCause::kTimeouts, 50),
       MessagePiece(0, StepCause::kRate, 20), MessagePiece(0, StepCause::kCollision, 25),
       MessagePiece(1, StepCause::kCollision, 40), MessagePiece(1, StepCause::kTimeouts, 5),
       MessagePiece(1, StepCause::kSlowLink, 7), MessagePiece(2, StepCause::kCollision, 99)},
      fates);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].outage, 1u);
  EXPECT_EQ(costs[0].timeouts_ps, 50);
  EXPECT_EQ(costs[0].no_way_ps, 30);
  EXPECT_EQ(costs[0].other_ps, 15);
  EXPECT_EQ(costs[0].all_ps(), 50 + 20 + 25) << "no time is lost";
  EXPECT_EQ(costs[1].outage, 0u);
  EXPECT_EQ(costs[1].detour_ps, 45);
  EXPECT_EQ(costs[1].all_ps(), 0) << "detours are apart";
}

TEST(JobCosts, OfEachMessageWithoutAPathAreItsOwn) {
  const std::vector<FlowFate> fates = {{0, Fate::kOnIt, 10}, {0, Fate::kOnIt, 100}};
  const std::vector<JobCost> costs = CostsOf(
      {MessagePiece(0, StepCause::kRate, 40), MessagePiece(1, StepCause::kRate, 40)}, fates);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].no_way_ps, 10 + 40);
  EXPECT_EQ(costs[0].other_ps, 30);
}

TEST(JobCosts, LeaveOutWhatCostNothing) {
  const std::vector<FlowFate> fates = {{0, Fate::kOnIt, 30}, {1, Fate::kMoved, 0}};
  CausedPiece computing = MessagePiece(0, StepCause::kCompute, 50);
  computing.piece.kind = PathPiece::Kind::kCompute;
  EXPECT_TRUE(CostsOf({computing, MessagePiece(0, StepCause::kLineRate, 9)}, fates).empty());
  EXPECT_TRUE(CostsOf({}, fates).empty());
}

// Equal without detours: the one with the longer detour first.
TEST(JobCosts, ComeLargestFirst) {
  const std::vector<FlowFate> fates = {
      {0, Fate::kDetour, 0}, {1, Fate::kMoved, 0}, {2, Fate::kOnIt, 0}};
  const std::vector<JobCost> costs =
      CostsOf({MessagePiece(0, StepCause::kRate, 5), MessagePiece(1, StepCause::kRate, 9),
               MessagePiece(2, StepCause::kRate, 1)},
              fates);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].outage, 2u);
  EXPECT_EQ(costs[1].outage, 1u);
  EXPECT_EQ(costs[2].outage, 0u);
}

/// AllReduces of operation 0 by group, with their times. Messages of group 0 go from GPU 0 to 2,
/// those of group 1 from 1 to 3.
MadeResult HeldRun(const std::vector<RunFlow>& flows, const I64& times) {
  MadeResult result = TwoLeafRun(flows);
  const std::size_t rows = times.size();
  U32 groups;
  for (std::uint32_t group = 0; group < rows; ++group) groups.push_back(group);
  result.tables.push_back(TableOf("collectives", rows,
                                  {{"phase", Texts(rows, "wg")},
                                   {"op", Texts(rows, "ALLREDUCE")},
                                   {"group_type", Texts(rows, "DP")},
                                   {"group", groups},
                                   {"layer", U32(rows, 3)},
                                   {"time_ps", times}}));
  result.tables.push_back(TableOf(
      "steps", 4, {{"gpu", U32{0, 1, 2, 3}}, {"group", I64{0, 1, 0, 1}}, {"end_ps", I64(4, 9)}}));
  LetLinkFail(6, 8, &result);
  return result;
}

std::vector<HeldCollective> HeldOf(const MadeResult& result) {
  const ViewedRun run(result);
  const Outages outages = ReadOutages(run.source);
  return FindHeldCollectives(run.source, FlowLosses(run.source, outages));
}

// Group 0 has two messages on the link. Of groups 1, 2 and 3, which took 300, 500 and 400, the
// median is 400; group 4 did not end.
TEST(HeldCollectives, AreComparedWithTheMedianOfThoseAlike) {
  const std::uint16_t port = PortOver(8, 8), other = PortOver(9, 9, 1, 3);
  const std::vector<HeldCollective> held =
      HeldOf(HeldRun({{0, 2, 0, 2000, port}, {0, 2, 400, 1000, port}, {1, 3, 0, 2000, other}},
                     {900, 300, 500, 400, -1}));
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].name, "job 0: wg ALLREDUCE of DP, layer 3, group 0");
  EXPECT_EQ(held[0].messages, 2);
  EXPECT_EQ(held[0].time_ps, 900);
  EXPECT_EQ(held[0].alike, 3u);
  EXPECT_EQ(held[0].alike_ps, 400);
}

TEST(HeldCollectives, ThatDidNotEndComeFirst) {
  const std::vector<HeldCollective> held = HeldOf(HeldRun(
      {{0, 2, 0, 2000, PortOver(8, 8)}, {1, 3, 0, -1, PortOver(8, 8, 1, 3), 5}}, {900, -1}));
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].time_ps, -1);
  EXPECT_EQ(held[1].time_ps, 900);
  EXPECT_EQ(held[1].alike, 0u) << "none alike that nothing held up";
  EXPECT_EQ(held[1].alike_ps, -1);
}

TEST(HeldCollectives, AreNoneIfNoMessageWasOnTheLink) {
  EXPECT_TRUE(HeldOf(HeldRun({{0, 2, 0, 2000, PortOver(9, 9)}}, {900, 300})).empty());
  EXPECT_TRUE(HeldOf(HeldRun({}, {900})).empty());
}

std::vector<JobOfFailures> JobsOf(const MadeResult& result) {
  const ViewedRun run(result);
  const Outages outages = ReadOutages(run.source);
  return FindJobCosts(run.source, FlowLosses(run.source, outages));
}

TEST(JobCosts, WithoutTimeLinesSayHowLongJobsTook) {
  MadeResult result = TwoLeafRun({{0, 2, 0, 2000, PortOver(8, 8)}});
  LetLinkFail(6, 8, &result);
  EXPECT_TRUE(JobsOf(result).empty()) << "no jobs";
  result.tables.push_back(TableOf("jobs", 2,
                                  {{"job", U32{0, 1}},
                                   {"name", Texts{"a", "b"}},
                                   {"start_ps", I64{100, 0}},
                                   {"end_ps", I64{900, -1}}}));
  const std::vector<JobOfFailures> jobs = JobsOf(result);
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].span_ps, 800);
  EXPECT_FALSE(jobs[0].has_path);
  EXPECT_EQ(jobs[1].span_ps, -1) << "it did not end";
  EXPECT_EQ(jobs[1].name, "b");
}

}  // namespace
}  // namespace heddle
