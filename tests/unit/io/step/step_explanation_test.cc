// SPDX-License-Identifier: GPL-2.0-only
/// Explanations of a step that is made by hand, on the fabric of SmallGraph(): GPUs 0 and 1 of one
/// server, 2 and 3 of another, a switch above all.
#include "io/step/step_explanation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/made_result.h"

namespace heddle {
namespace {

/// GPU 0 computes up to 100 ns, GPU 2 up to 40 ns. Then 0 sends 1000 bytes to 2, from 110 to 300
/// ns, when the job ends; alone it would take 150 ns. GPU 1 sends as many to 2 from 110 to 290 ns:
/// at 400 Gbit/s they take 20 ns of the last link.
MadeResult MadeStep() {
  MadeResult result;
  result.tables = {ShapeTable(SmallGraph()), LinkTable(SmallGraph())};
  result.tables.push_back(TableOf(
      "jobs", 1,
      {{"name", Texts{"pair"}}, {"gpus", U32{2}}, {"passes", U32{1}}, {"end_ps", I64{300'000}}}));
  result.tables.push_back(TableOf(
      "ranks", 2, {{"rank", U32{0, 1}}, {"gpu", U32{0, 2}}, {"end_ps", I64{290'000, 300'000}}}));
  result.tables.push_back(TableOf("operations", 1,
                                  {{"layer", U32{7}},
                                   {"phase", Texts{"wg"}},
                                   {"op", Texts{"ALLREDUCE"}},
                                   {"group_type", Texts{"DP"}}}));
  result.tables.push_back(TableOf("layers", 2,
                                  {{"rank", U32{0, 1}},
                                   {"gpu", U32{0, 2}},
                                   {"wg_compute_ps", I64{100'000, 40'000}},
                                   {"wg_exposed_ps", I64{190'000, 260'000}}}));
  result.tables.push_back(TableOf("steps", 4,
                                  {{"gpu", U32{0, 2, 0, 2}},
                                   {"layer", U32{7, 7, 7, 7}},
                                   {"phase", Texts(4, "wg")},
                                   {"operation", I64{-1, -1, 0, 0}},
                                   {"group", I64{-1, -1, 0, 0}},
                                   {"start_ps", I64{0, 0, 100'000, 40'000}},
                                   {"end_ps", I64{100'000, 40'000, 290'000, 300'000}}}));
  result.tables.push_back(TableOf("flows", 2,
                                  {{"src", U32{0, 1}},
                                   {"dst", U32{2, 2}},
                                   {"source_port", U16{10'000, 10'000}},
                                   {"destination_port", U16{100, 100}},
                                   {"size_bytes", I64{1000, 1000}},
                                   {"start_ps", I64{110'000, 110'000}},
                                   {"fct_ps", I64{190'000, 180'000}},
                                   {"received_ps", I64{180'000, 170'000}},
                                   {"ideal_ps", I64{150'000, 150'000}}},
                                  {Present::kJobs}));
  return result;
}

std::vector<StepExplanation> ExplanationsOf(const MadeResult& result) {
  const std::string path = TempPath("step.h5");
  result.Write(path);
  return ExplainSteps(path);
}

const CauseSum& SumOfCause(const StepExplanation& step, StepCause cause) {
  for (const CauseSum& sum : step.causes) {
    if (sum.cause == cause) return sum;
  }
  static const CauseSum none;
  return none;
}

TEST(StepExplanation, CausesAndPiecesAddUpToTheStep) {
  const std::vector<StepExplanation> steps = ExplanationsOf(MadeStep());
  ASSERT_EQ(steps.size(), 1u);
  const StepExplanation& step = steps[0];
  EXPECT_EQ(step.name, "pair");
  EXPECT_EQ(step.span_ps(), 300'000);
  EXPECT_EQ(step.last_gpu, "server 1 / GPU 0");
  EXPECT_TRUE(step.has_messages);
  EXPECT_TRUE(step.has_paths);
  std::int64_t at = 0, sum = 0;
  for (const CausedPiece& piece : step.pieces) {
    EXPECT_EQ(piece.from_ps, at) << "pieces follow each other";
    at += piece.part.ps;
  }
  for (const CauseSum& cause : step.causes) sum += cause.ps;
  EXPECT_EQ(at, 300'000);
  EXPECT_EQ(sum, 300'000);
  double shares = 0;
  for (const StepShare& share : step.shares) shares += share.ps;
  EXPECT_NEAR(shares, 300'000, 1e-6);
}

// Computing up to 40 ns, then alone up to 100; software 10; of the message 150 alone, of the 40
// more 20 behind GPU 1's message and 20 below line rate.
TEST(StepExplanation, NamesEachCause) {
  const StepExplanation step = ExplanationsOf(MadeStep()).at(0);
  EXPECT_EQ(SumOfCause(step, StepCause::kCompute).ps, 40'000);
  EXPECT_EQ(SumOfCause(step, StepCause::kAlone).ps, 60'000);
  EXPECT_EQ(SumOfCause(step, StepCause::kSoftware).ps, 10'000);
  EXPECT_EQ(SumOfCause(step, StepCause::kLineRate).ps, 150'000);
  EXPECT_EQ(SumOfCause(step, StepCause::kRate).ps, 20'000);
  const CauseSum& receiver = SumOfCause(step, StepCause::kReceiver);
  EXPECT_EQ(receiver.ps, 20'000);
  EXPECT_EQ(receiver.link, "switch 0 -> server 1 / GPU 0");
  EXPECT_EQ(receiver.with, (std::vector<std::string>{"server 0 / GPU 1 to server 1 / GPU 0"}));
  EXPECT_EQ(step.what.front(), "wg of layer 7 on server 0 / GPU 0");
  EXPECT_EQ(step.what.back(), "wg ALLREDUCE of DP, layer 7: server 0 / GPU 0 to server 1 / GPU 0");
}

TEST(StepExplanation, APieceHasTheLinkOfItsCause) {
  const StepExplanation step = ExplanationsOf(MadeStep()).at(0);
  for (std::size_t i = 0; i < step.pieces.size(); ++i) {
    const bool receiver = step.pieces[i].part.cause == StepCause::kReceiver;
    EXPECT_EQ(step.LinkOf(i), receiver ? "switch 0 -> server 1 / GPU 0" : "") << i;
  }
}

TEST(StepExplanation, TimeBehindAnotherJobIsLostToIt) {
  MadeResult result = MadeStep();
  EXPECT_EQ(ExplanationsOf(result).at(0).lost_ps(), 0) << "one job alone";
  result.values<std::uint16_t>("flows", "job")[1] = 1;
  const StepExplanation step = ExplanationsOf(result).at(0);
  ASSERT_EQ(step.lost.size(), 1u);
  EXPECT_EQ(step.lost[0].job, 1u);
  EXPECT_EQ(step.lost[0].link, "switch 0 -> server 1 / GPU 0");
  EXPECT_EQ(step.lost_ps(), 20'000);
}

// The collective is one piece from when GPU 0 came, at 100 ns.
TEST(StepExplanation, WithoutAllFlowsACollectiveIsOnePiece) {
  MadeResult result = MadeStep();
  result.root["flows_recorded"] = std::string("none");
  const StepExplanation step = ExplanationsOf(result).at(0);
  EXPECT_FALSE(step.has_messages);
  EXPECT_EQ(SumOfCause(step, StepCause::kCollective).ps, 200'000);
  EXPECT_EQ(SumOfCause(step, StepCause::kCompute).ps + SumOfCause(step, StepCause::kAlone).ps,
            100'000);
}

TEST(StepExplanation, OnlyJobsThatEndedAreExplained) {
  MadeResult open = MadeStep();
  open.values<std::int64_t>("jobs", "end_ps")[0] = -1;
  EXPECT_NE(MessageOf([&] { ExplanationsOf(open); }).find("no job ended"), std::string::npos);
}

TEST(StepExplanation, AResultWithoutJobsOrTimeLinesIsRefused) {
  MadeResult result = MadeStep();
  result.table("steps") = TableOf("steps", 0);
  EXPECT_NE(MessageOf([&] { ExplanationsOf(result); }).find("--record timeline=all"),
            std::string::npos);
  result.table("jobs") = TableOf("jobs", 0);
  EXPECT_NE(MessageOf([&] { ExplanationsOf(result); }).find("no table jobs"), std::string::npos);
}

TEST(StepExplanation, ANodeThatTheFabricDoesNotHaveIsRefused) {
  MadeResult result = MadeStep();
  result.values<std::uint32_t>("flows", "dst")[1] = 77;
  EXPECT_NE(MessageOf([&] { ExplanationsOf(result); }).find("node 77 in column dst"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
