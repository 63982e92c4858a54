// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle {
namespace {

StepExplanation Study(std::vector<CauseSum> causes) {
  StepExplanation study;
  for (const CauseSum& sum : causes) study.end_ps += sum.ps;
  study.causes = std::move(causes);
  return study;
}
CauseSum Sum(StepCause cause, std::int64_t us, const std::string& link = "") {
  CauseSum sum;
  sum.cause = cause;
  sum.ps = us * 1'000'000;
  sum.link = link;
  return sum;
}

TEST(StepVerdict, DifferencesSumToThatOfTheTimes) {
  const StepExplanation a = Study(
      {Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400), Sum(StepCause::kOther, 2)});
  const StepExplanation b =
      Study({Sum(StepCause::kLineRate, 450), Sum(StepCause::kCompute, 400),
             Sum(StepCause::kCollision, 210, "leaf 5 -> spine 2"),
             Sum(StepCause::kCollision, 90, "leaf 1 -> spine 0"), Sum(StepCause::kOther, 5)});
  const std::string text =
      "B is 28.0 % slower than A (253.0 us): +300.0 us collisions (210.0 on leaf 5 -> spine 2), "
      "-50.0 us messages at line rate, +3.0 us others";
  EXPECT_EQ(StepVerdict("A", a, "B", b), text);
  EXPECT_EQ(StepVerdict("B", b, "A", a), text);
}

TEST(StepVerdict, WhatMakesItSlowerComesFirst) {
  const StepExplanation a = Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400)});
  const StepExplanation b =
      Study({Sum(StepCause::kLineRate, 380), Sum(StepCause::kCompute, 400),
             Sum(StepCause::kCollision, 100, "leaf 5 -> spine 2"), Sum(StepCause::kSoftware, 60)});
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 4.4 % slower than A (40.0 us; 160.0 us lost, 120.0 us won back): +100.0 us "
            "collisions (100.0 on leaf 5 -> spine 2), +60.0 us software latency, -120.0 us "
            "messages at line rate");
}

StepExplanation WithShares(StepExplanation study, double computing_us, double tp_us, double dp_us) {
  study.shares = {{"computing", "", computing_us * 1e6},
                  {"exposed TP", "TP", tp_us * 1e6},
                  {"exposed DP", "DP", dp_us * 1e6}};
  return study;
}

TEST(StepVerdict, ThePartsOfAllGpusComeFirst) {
  const StepExplanation a = WithShares(
      Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400)}), 400, 200, 300);
  const StepExplanation b =
      WithShares(Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400),
                        Sum(StepCause::kCollision, 90, "leaf 5 -> spine 2")}),
                 400, 190, 400);
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 10.0 % slower than A (90.0 us): +100.0 us exposed DP, -10.0 us exposed TP. By "
            "cause: +90.0 us collisions (90.0 on leaf 5 -> spine 2)");
}

/// The path has 120 us more of messages in place of 20 us of computing, which both steps have.
TEST(StepVerdict, ComputingThatBothHaveIsNoCause) {
  const StepExplanation a = WithShares(
      Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400)}), 420, 200, 280);
  const StepExplanation b =
      WithShares(Study({Sum(StepCause::kLineRate, 530), Sum(StepCause::kCompute, 380),
                        Sum(StepCause::kCollision, 90, "leaf 5 -> spine 2")}),
                 420, 200, 380);
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 11.1 % slower than A (100.0 us): +100.0 us exposed DP. By cause: +75.0 us "
            "collisions (75.0 on leaf 5 -> spine 2), +25.0 us messages at line rate. The critical "
            "path of B runs through other GPUs or stages: 20.0 us less of it is computing, so all "
            "causes are scaled by 0.83");
}

TEST(StepVerdict, ComputingThatDiffersIsACause) {
  const StepExplanation a = WithShares(
      Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 400)}), 400, 500, 0);
  const StepExplanation b = WithShares(
      Study({Sum(StepCause::kLineRate, 510), Sum(StepCause::kCompute, 480)}), 480, 510, 0);
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 10.0 % slower than A (90.0 us): +80.0 us computing, +10.0 us exposed TP. By "
            "cause: +80.0 us computing, +10.0 us messages at line rate");
}

TEST(StepVerdict, WhetherOthersWaitForComputingIsNoDifference) {
  const StepExplanation a =
      WithShares(Study({Sum(StepCause::kLineRate, 500), Sum(StepCause::kCompute, 300),
                        Sum(StepCause::kAlone, 100)}),
                 400, 500, 0);
  const StepExplanation b = WithShares(
      Study({Sum(StepCause::kLineRate, 550), Sum(StepCause::kCompute, 400)}), 400, 550, 0);
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 5.6 % slower than A (50.0 us): +50.0 us exposed TP. By cause: +50.0 us messages "
            "at line rate");
}

TEST(StepVerdict, PathsOfOtherStagesGiveNoCauses) {
  const StepExplanation a = WithShares(
      Study({Sum(StepCause::kLineRate, 100), Sum(StepCause::kCompute, 800)}), 500, 400, 0);
  const StepExplanation b = WithShares(
      Study({Sum(StepCause::kLineRate, 700), Sum(StepCause::kCompute, 300)}), 500, 500, 0);
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 11.1 % slower than A (100.0 us): +100.0 us exposed TP. The critical path of B "
            "runs through other GPUs or stages: 500.0 us less of it is computing, so causes cannot "
            "be compared (heddle analyze step)");
}

TEST(StepVerdict, EqualTimes) {
  const StepExplanation a = Study({Sum(StepCause::kCompute, 400)});
  EXPECT_EQ(StepVerdict("A", a, "B", a), "A and B end at the same time");
}

TEST(StepVerdict, ACauseThatOnlyTheFasterOneHasNamesNoLink) {
  const StepExplanation a = Study({Sum(StepCause::kCollision, 100, "leaf 5 -> spine 2")});
  const StepExplanation b = Study({Sum(StepCause::kTimeouts, 4000)});
  EXPECT_EQ(StepVerdict("A", a, "B", b),
            "B is 3900.0 % slower than A (3900.0 us): +4000.0 us retransmission timeouts, -100.0 "
            "us others");
}

TEST(BeyondIdealLine, IsWhatIsNeitherComputingNorTheSendersRate) {
  EXPECT_EQ(BeyondIdealLine(Study({Sum(StepCause::kCompute, 400), Sum(StepCause::kLineRate, 300),
                                   Sum(StepCause::kSoftware, 200), Sum(StepCause::kOwnLink, 50),
                                   Sum(StepCause::kCollision, 500, "leaf 0 -> spine 0"),
                                   Sum(StepCause::kOther, 1)})),
            "701.0 us of 1451.0: 500.0 collisions (500.0 on leaf 0 -> spine 0) + 200.0 software "
            "latency + 1.0 others");
  EXPECT_EQ(BeyondIdealLine(Study({Sum(StepCause::kCompute, 400)})), "0.0 us of 400.0");
}

TEST(CriticalPathLine, NamesTheLinkThatHasHalf) {
  EXPECT_EQ(CriticalPathLine(Study({Sum(StepCause::kCollision, 60, "leaf 0 -> spine 0"),
                                    Sum(StepCause::kCompute, 40)})),
            "100.0 us = 60.0 collisions (60.0 on leaf 0 -> spine 0) + 40.0 computing");
  EXPECT_EQ(CriticalPathLine(Study({Sum(StepCause::kCompute, 999), Sum(StepCause::kOther, 1)})),
            "1000.0 us = 999.0 computing + 1.0 others");
}

}  // namespace
}  // namespace heddle
