// SPDX-License-Identifier: GPL-2.0-only
/// Losses to other jobs of messages that are made by hand; all go over leaf 6, spine 8 and leaf 7.
#include "io/step/job_losses.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/io/step/made_messages.h"

namespace heddle {
namespace {

CausedPiece LostPiece(StepCause cause, HopIndex link, std::int64_t ps, std::size_t row = 0) {
  CausedPiece piece;
  piece.piece.kind = PathPiece::Kind::kMessage;
  piece.piece.row = row;
  piece.part = {cause, link, ps};
  return piece;
}

/// The losses of job 0, whose messages on the path are rows 0 and 1. `jobs`: of the rows.
std::vector<JobLoss> LossesOf(const std::vector<MadeFlow>& rows,
                              const std::vector<std::uint16_t>& jobs,
                              const std::vector<CausedPiece>& pieces) {
  const Graph graph = TwoLeaves();
  MessageTables tables = CauseTables(rows);
  tables.flows.columns.push_back({"job", "1", "", jobs});
  const PortLists paths = OverSpine8(graph, rows);
  const MessageCauses causes(graph, tables, &paths, {0, 1});
  return LossesToOtherJobs(pieces, 0, causes, tables.flows);
}

HopIndex LinkUp() { return HopNumbers(TwoLeaves()).Of(NodeId(6), PortId(2)); }
HopIndex LinkDown() { return HopNumbers(TwoLeaves()).Of(NodeId(8), PortId(1)); }

// While row 0 was under way, others sent 2000 bytes of job 1 and 1000 of job 0: of 90 ps 60 are
// lost to job 1, and 30 to nobody else.
TEST(JobLosses, AreDividedByTheBytesOfAllOthers) {
  const std::vector<MadeFlow> rows = {{0, 2, 0, 100}, {1, 2, 0, 100, 1000}, {1, 3, 0, 100, 2000}};
  const std::vector<JobLoss> losses =
      LossesOf(rows, {0, 0, 1}, {LostPiece(StepCause::kCollision, LinkUp(), 90)});
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0].job, 1u);
  EXPECT_EQ(losses[0].hop, LinkUp());
  EXPECT_EQ(losses[0].ps, 60);
}

// Half of the message of job 2 falls into row 0's time: 500 bytes, as many as job 1 has.
TEST(JobLosses, CountBytesWhileTheMessageWasUnderWay) {
  const std::vector<MadeFlow> rows = {
      {0, 2, 0, 100}, {0, 3, 500, 1}, {1, 3, 0, 100, 500}, {1, 3, 50, 100, 1000}};
  const std::vector<JobLoss> losses =
      LossesOf(rows, {0, 0, 1, 2}, {LostPiece(StepCause::kReceiver, LinkUp(), 80)});
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].job, 1u) << "of equal ones the least number first";
  EXPECT_EQ(losses[0].ps, 40);
  EXPECT_EQ(losses[1].job, 2u);
  EXPECT_EQ(losses[1].ps, 40);
}

// Job 1 costs 10 on one link and 20 + 30 on the other, and is alone there.
TEST(JobLosses, AreSummedUpByJobAndLinkTheLargestFirst) {
  const std::vector<MadeFlow> rows = {{0, 2, 0, 100}, {0, 2, 100, 100}, {1, 3, 0, 200}};
  const std::vector<JobLoss> losses = LossesOf(rows, {0, 0, 1},
                                               {LostPiece(StepCause::kCollision, LinkUp(), 10),
                                                LostPiece(StepCause::kCollision, LinkDown(), 20),
                                                LostPiece(StepCause::kAcks, LinkDown(), 30, 1)});
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].hop, LinkDown());
  EXPECT_EQ(losses[0].ps, 50);
  EXPECT_EQ(losses[1].hop, LinkUp());
  EXPECT_EQ(losses[1].ps, 10);
}

TEST(JobLosses, AreNoneWhereOthersDidNotMakeItWait) {
  const std::vector<MadeFlow> rows = {{0, 2, 0, 100}, {0, 2, 100, 100}, {1, 3, 0, 200}};
  EXPECT_TRUE(LossesOf(rows, {0, 0, 1},
                       {LostPiece(StepCause::kOwnLink, LinkUp(), 10),
                        LostPiece(StepCause::kSlowLink, LinkUp(), 10),
                        LostPiece(StepCause::kPauses, LinkUp(), 10),
                        LostPiece(StepCause::kCollision, kNoHop, 10)})
                  .empty());
  EXPECT_TRUE(LossesOf(rows, {0, 0, 1}, {}).empty());
  EXPECT_TRUE(LossesOf(rows, {0, 0, 0}, {LostPiece(StepCause::kCollision, LinkUp(), 10)}).empty())
      << "one job alone";
}

}  // namespace
}  // namespace heddle
