// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/pipeline/pipeline_proof.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "tests/support/message_of.h"
#include "tests/unit/collectives/pipeline/pipeline_test_util.h"

namespace heddle {
namespace {

PipelineTable TwoStages() { return TableOf("1f1b", {2, 2}); }

std::string WhyNot(const PipelineTable& table) {
  return MessageOf([&] { ProveTable(table); });
}

TEST(PipelineProof, TasksThatAreMissingOrTwice) {
  PipelineTable table = TwoStages();
  EXPECT_NO_THROW(ProveTable(table));
  table.order[1].pop_back();
  EXPECT_EQ(WhyNot(table),
            "1f1b: stage 1: B1 is missing. Expected: forward and backward of each micro-batch on "
            "each chunk");
  table = TwoStages();
  table.order[0].push_back(table.order[0].back());
  EXPECT_EQ(WhyNot(table),
            "1f1b: stage 0: B1 follows another backward of it. Expected: each backward once");
  table.order[0].back().work = PipelineWork::kForward;
  EXPECT_EQ(WhyNot(table), "1f1b: stage 0: F1 is there twice. Expected: each forward once");
  table = TableOf("zb-h1", {2, 2});
  EXPECT_EQ(table.order[1].back().work, PipelineWork::kWeightGradient);
  table.order[1].pop_back();
  EXPECT_EQ(WhyNot(table).substr(0, 35), "zb-h1: stage 1: W1 is missing. Expe");
}

TEST(PipelineProof, OrdersWithinAStage) {
  PipelineTable table = TwoStages();
  std::swap(table.order[1][0], table.order[1][1]);
  EXPECT_EQ(WhyNot(table),
            "1f1b: stage 1: B0 comes before its forward. Expected: the forward first");
  table = TwoStages();
  table.order[1][1].work = PipelineWork::kWeightGradient;
  EXPECT_EQ(WhyNot(table),
            "1f1b: stage 1: W0 has no gradient of inputs (I) before it, or is there twice. "
            "Expected: I and then W of each micro-batch, or B alone");
  table = TwoStages();
  table.order[0].back().with_next = true;
  EXPECT_EQ(
      WhyNot(table),
      "1f1b: stage 0: B1 is the last, and together with the next. Expected: a task behind it");
}

TEST(PipelineProof, TasksOfOthers) {
  PipelineTable table = TwoStages();
  table.order[0][0].micro_batch = 2;
  EXPECT_EQ(WhyNot(table),
            "1f1b: stage 0: F2 is of no micro-batch or chunk of the table. Expected: micro-batches "
            "below 2, chunks below 1");
  table = TableOf("dualpipe", {2, 4});
  table.order[0][0].chunk = 1;
  EXPECT_EQ(WhyNot(table),
            "dualpipe: stage 0: F0.1 is of a micro-batch that does not pass this chunk. Expected: "
            "the first half of the micro-batches on chunk 0, the others on chunk 1");
}

/// Stage 0 wants the backward of a micro-batch whose forward it has not sent yet.
TEST(PipelineProof, StagesThatWaitForEachOther) {
  PipelineTable table = TwoStages();
  ASSERT_EQ(OrderText(table, 1), "F0 B0 F1 B1");
  std::swap(table.order[0][1], table.order[0][2]);
  ASSERT_EQ(OrderText(table, 0), "F0 B0 F1 B1");
  EXPECT_NO_THROW(ProveTable(table)) << "slow, but it comes to its end";
  std::swap(table.order[1][1], table.order[1][2]);
  ASSERT_EQ(OrderText(table, 1), "F0 F1 B0 B1");
  EXPECT_EQ(
      WhyNot(table),
      "1f1b: these stages wait for each other for ever: stage 0 at B0, stage 1 at F1. "
      "Expected: an order in which what a task waits for comes on its stage before what waits "
      "for the task");
}

/// On the last stage, a forward and its own backward cannot be done together.
TEST(PipelineProof, APairOfOneMicroBatchWaitsForItself) {
  PipelineTable table = TwoStages();
  table.order[1][0].with_next = true;
  EXPECT_NE(WhyNot(table).find("wait for each other for ever"), std::string::npos);
}

}  // namespace
}  // namespace heddle
