// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/window_ends.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr Time kLookahead = NanoSeconds(500);

WindowEnds OneSide(Time a, Time b) { return WindowEnds::OneSide({a, b}, kLookahead); }

TEST(WindowEnds, ALevelWindowIsOneLookaheadForBothSides) {
  const WindowEnds ends = WindowEnds::Level({NanoSeconds(700), NanoSeconds(300)}, kLookahead);
  EXPECT_EQ(ends.of[0], NanoSeconds(800));
  EXPECT_EQ(ends.of[1], NanoSeconds(800));
}

TEST(WindowEnds, TheSideThatIsBehindRunsToTwoLookaheads) {
  const WindowEnds ends = OneSide(NanoSeconds(1500), NanoSeconds(1000));
  // Both limits apply: the other side's first event, and its own with the way there and back.
  EXPECT_EQ(ends.of[1], NanoSeconds(2000));
  EXPECT_LE(ends.of[0], NanoSeconds(1500));  // the other side does not advance
}

TEST(WindowEnds, NotBeyondWhatTheOtherSideMaySend) {
  const WindowEnds ends = OneSide(NanoSeconds(1000), NanoSeconds(1100));
  EXPECT_EQ(ends.of[0], NanoSeconds(1600));
  EXPECT_LE(ends.of[1], NanoSeconds(1100));
}

TEST(WindowEnds, NotBeyondWhatMayComeBack) {
  EXPECT_EQ(OneSide(NanoSeconds(1000), NanoSeconds(9000)).of[0], NanoSeconds(2000));
  EXPECT_EQ(OneSide(NanoSeconds(1000), Time::Max()).of[0], NanoSeconds(2000));
}

TEST(WindowEnds, OfEqualTimesTheFirstSideRuns) {
  const WindowEnds ends = OneSide(NanoSeconds(1000), NanoSeconds(1000));
  EXPECT_EQ(ends.of[0], NanoSeconds(1500));
  EXPECT_LE(ends.of[1], NanoSeconds(1000));
}

TEST(WindowEnds, TimeItselfEnds) {
  const Time late = Time::Max() - NanoSeconds(100);
  EXPECT_EQ(OneSide(late, Time::Max()).of[0], Time::Max());
  EXPECT_EQ(WindowEnds::Level({late, late}, kLookahead).of[1], Time::Max());
}

TEST(WindowEnds, NothingRunsBeyondABound) {
  WindowEnds ends = OneSide(NanoSeconds(1000), NanoSeconds(9000));
  ends.NotAfter(NanoSeconds(1200));
  EXPECT_EQ(ends.of[0], NanoSeconds(1200));
}

/// Two sides that send each other messages after one lookahead, and themselves after two, as often
/// as possible: no message arrives before events that its receiver has run, and time advances by
/// two lookaheads in two windows.
TEST(WindowEnds, NoMessageComesTooLate) {
  Time next[2] = {NanoSeconds(0), NanoSeconds(130)};
  Time done[2] = {Time{0}, Time{0}};
  for (int window = 0; window < 1000; ++window) {
    const WindowEnds ends = WindowEnds::OneSide({next[0], next[1]}, kLookahead);
    const int side = next[0] < ends.of[0] ? 0 : 1;
    ASSERT_LT(next[side], ends.of[side]);
    ASSERT_GE(next[side], done[side]) << "window " << window;
    // Each event at `first` causes one on the other side and one on its own; the earliest of the
    // window determines both.
    const Time first = next[side];
    done[side] = ends.of[side];
    next[1 - side] = std::min(next[1 - side], first + kLookahead);
    ASSERT_GE(next[1 - side], done[1 - side]) << "window " << window;
    next[side] = std::max(done[side], first + kLookahead * 2);
  }
  EXPECT_GE(std::min(next[0], next[1]), kLookahead * 900);
}

}  // namespace
}  // namespace heddle
