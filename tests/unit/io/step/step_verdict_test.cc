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
