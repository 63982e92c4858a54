// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_findings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// A job of these microseconds, all at line rate.
StepExplanation JobOf(std::uint32_t number, std::int64_t from_us, std::int64_t to_us) {
  StepExplanation job;
  job.job = number;
  job.start_ps = from_us * 1'000'000;
  job.end_ps = to_us * 1'000'000;
  CauseSum sum;
  sum.cause = StepCause::kLineRate;
  sum.ps = job.span_ps();
  job.causes = {sum};
  return job;
}

Table JobTable(const std::vector<std::uint32_t>& gpus, const std::vector<std::uint32_t>& passes) {
  return {"jobs", "", {{"gpus", "1", "", gpus}, {"passes", "1", "", passes}}};
}

Table OperationTable(const std::vector<std::int64_t>& bytes) {
  return {"operations", "", {{"bytes", "byte", "", bytes}}};
}

TEST(StepFindings, TheLastJobIsThatOfTheLatestEndAndTheLeastNumber) {
  EXPECT_EQ(LastToEnd({JobOf(0, 0, 50), JobOf(1, 0, 90), JobOf(2, 0, 60)}), 1u);
  EXPECT_EQ(LastToEnd({JobOf(2, 0, 90), JobOf(1, 50, 90), JobOf(3, 0, 90)}), 1u)
      << "of three that end together number 1";
  EXPECT_EQ(LastToEnd({JobOf(5, 0, 1)}), 0u);
}

TEST(StepFindings, WorkIsGpusPassesOperationsAndBytes) {
  EXPECT_EQ(WorkOf(JobTable({8, 4}, {2, 1}), OperationTable({100, 250})),
            (std::vector<std::int64_t>{8, 4, 2, 1, 2, 350}));
  EXPECT_EQ(WorkOf(JobTable({8}, {2}), OperationTable({})),
            (std::vector<std::int64_t>{8, 2, 0, 0}));
  EXPECT_NE(WorkOf(JobTable({8, 4}, {1, 1}), OperationTable({5})),
            WorkOf(JobTable({4, 8}, {1, 1}), OperationTable({5})));
  EXPECT_NE(WorkOf(JobTable({8}, {1}), OperationTable({5, 5})),
            WorkOf(JobTable({8}, {1}), OperationTable({10})))
      << "the same bytes in one operation";
}

TEST(StepFindings, OfOneStepSayWhereItsTimeWent) {
  EXPECT_TRUE(FindingsOf({}, {}).empty());
  EXPECT_EQ(FindingsOf({"a"}, {JobOf(0, 10, 30)}),
            (std::vector<std::string>{"20.0 us = 20.0 messages at line rate."}));
}

// Spans 30, 20 and 25 us: b is the shortest, though it ends last.
TEST(StepFindings, OfSeveralCompareEachWithTheShortest) {
  const std::vector<std::string> findings =
      FindingsOf({"a", "b", "c"}, {JobOf(0, 0, 30), JobOf(0, 40, 60), JobOf(0, 0, 25)});
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0], "a is 50.0 % slower than b (10.0 us): +10.0 us messages at line rate.");
  EXPECT_EQ(findings[1], "c is 25.0 % slower than b (5.0 us): +5.0 us messages at line rate.");
}

TEST(StepFindings, OfEqualStepsCompareWithTheFirst) {
  EXPECT_EQ(FindingsOf({"a", "b"}, {JobOf(0, 0, 30), JobOf(0, 5, 35)}),
            (std::vector<std::string>{"a and b end at the same time."}));
}

TEST(FabricVerdict, SaysThatNothingPassesAboveTheLeavesOfEqualOnes) {
  const StepExplanation step = JobOf(0, 0, 20);
  const FabricStep a{"a", &step}, b{"b", &step};
  EXPECT_EQ(FabricVerdict(a, b),
            "a and b end at the same time: no byte passes above the leaves in either.");
  const FabricStep above{"b", &step, 1};
  EXPECT_EQ(FabricVerdict(a, above), "a and b end at the same time.");
  EXPECT_EQ(FabricVerdict(above, a), "b and a end at the same time.");
}

// Four ports of 400 Gbit/s together are 100 each.
TEST(FabricVerdict, HintsAtPortsThatMessagesDoNotUse) {
  const StepExplanation fast = JobOf(0, 0, 20), slow = JobOf(0, 0, 30);
  const std::string sentence =
      "b is 50.0 % slower than a (10.0 us): +10.0 us messages at line rate.";
  const FabricStep best{"a", &fast, 0, 1, 400e9};
  EXPECT_EQ(FabricVerdict(best, {"b", &slow, 0, 4, 400e9}),
            sentence +
                " A message takes one of the 4 ports of its GPU, at 100 Gbit/s; "
                "nic.ports=round-robin with nic.qps_per_connection=4 uses all.");
  EXPECT_EQ(FabricVerdict(best, {"b", &slow, 0, 4, 400e9, 4}), sentence) << "they use all";
  EXPECT_EQ(FabricVerdict(best, {"b", &slow, 0, 1, 400e9}), sentence) << "as many as the best";
  EXPECT_EQ(FabricVerdict({"a", &fast, 0, 4, 400e9}, {"b", &slow, 0, 4, 400e9}), sentence);
}

TEST(FabricVerdict, OfEqualOnesHasNoHint) {
  const StepExplanation step = JobOf(0, 0, 20);
  EXPECT_EQ(FabricVerdict({"a", &step, 5, 1, 400e9}, {"b", &step, 5, 4, 400e9}),
            "a and b end at the same time.");
}

}  // namespace
}  // namespace heddle
