// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/stepwise/schedule_replay.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/make_schedule.h"

namespace heddle {
namespace {

constexpr double kWait = 5, kByte = 0.001, kPath = 2, kBack = 1;

/// Seconds by hand: one byte of a port takes a millisecond.
double Replay(Operation operation, Algorithm algorithm, std::int64_t bytes, const GroupShape& shape,
              const ChunkOptions& options, bool in_turn = false) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  const auto schedule = MakeSchedule(spec, {algorithm}, shape, options);
  return ScheduleSeconds(*schedule, shape, [&](const GroupFlow& flow) {
    ReplayedMessage message;
    message.wait = flow.answers ? 0 : kWait;
    message.seconds = kByte * static_cast<double>(flow.bytes);
    message.latency = kPath;
    message.back = kBack;
    message.inside = false;
    message.in_turn = in_turn;
    return message;
  });
}

/// Each of 2 (n - 1) steps takes a wait, a message and a path.
TEST(ScheduleReplay, AStepOfARingFollowsTheOther) {
  const GroupShape shape(4U, 1U, 0U);
  const double step = kWait + 1000 * kByte + kPath;
  EXPECT_NEAR(Replay(Operation::kAllReduce, Algorithm::kRing, 4000, shape, {}), 6 * step, 1e-9);
}

/// All messages leave at once and share the port: n - 1 of them take as long as their bytes.
TEST(ScheduleReplay, MessagesOfAPortShareIt) {
  const GroupShape shape(5U, 1U, 0U);
  EXPECT_NEAR(Replay(Operation::kAllToAll, Algorithm::kDirect, 5000, shape, {}),
              kWait + 4 * 1000 * kByte + kPath, 1e-9);
}

/// Pieces of a tree of one switch: those under way share the port, so they come back together, and
/// the next ones leave when their results are there.
TEST(ScheduleReplay, PiecesUnderWayComeBackTogether) {
  GroupShape shape(3U, 1U, 0U);
  shape.AddTreesOfOneSwitch();
  ChunkOptions options;
  options.collnet_channels = 1;  // two pieces under way
  options.chunk_bytes = 1000;
  CollectiveSpec spec;
  spec.bytes = 8000;
  ASSERT_EQ(MakeSchedule(spec, {Algorithm::kCollNetDirect}, shape, options)->piece_count(), 8U);
  const double turn = kWait + 2 * 1000 * kByte + 2 * kPath;
  const double seconds =
      Replay(Operation::kAllReduce, Algorithm::kCollNetDirect, 8000, shape, options);
  EXPECT_NEAR(seconds, 4 * turn, 1e-9);
}

}  // namespace
}  // namespace heddle
