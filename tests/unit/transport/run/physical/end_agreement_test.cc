// SPDX-License-Identifier: GPL-2.0-only
// On one rank; tests/regression/runs/physical.sh has several.
#include "transport/run/physical/end_agreement.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Verdict = EndAgreement::Verdict;

/// Turns for so long [ns], in steps of 0.1 ms; the first verdict that is not kGoOn.
Verdict TurnFor(EndAgreement* agreement, const EndAgreement::Say& say, std::int64_t* now,
                std::int64_t duration) {
  for (const std::int64_t end = *now + duration; *now < end; *now += 100'000) {
    const Verdict verdict = agreement->Turn(say, *now);
    if (verdict != Verdict::kGoOn) return verdict;
  }
  return Verdict::kGoOn;
}

constexpr std::int64_t kLong = 50 * EndAgreement::kPause;

TEST(EndAgreement, EndsWhenAllIsIdleAndReceived) {
  EndAgreement agreement;
  std::int64_t now = 1'000'000'000;
  EXPECT_EQ(TurnFor(&agreement, {false, 5, 5, false}, &now, kLong), Verdict::kGoOn) << "busy";
  EXPECT_EQ(TurnFor(&agreement, {true, 5, 4, false}, &now, kLong), Verdict::kGoOn) << "under way";
  const std::uint64_t before = agreement.sums();
  EXPECT_EQ(TurnFor(&agreement, {true, 5, 5, false}, &now, kLong), Verdict::kEnd);
  EXPECT_GE(agreement.sums(), before + 2) << "one sum is not enough";
}

TEST(EndAgreement, TwoQuietSumsMustHaveEqualCounts) {
  EndAgreement agreement;
  std::int64_t now = 0;
  for (std::int64_t messages = 0; messages < 10'000; ++messages, now += 1'000'000)
    ASSERT_EQ(agreement.Turn({true, messages, messages, false}, now), Verdict::kGoOn);
  EXPECT_GT(agreement.sums(), 100u);
}

TEST(EndAgreement, ACutIsMadeWhenOneWantsIt) {
  EndAgreement agreement;
  std::int64_t now = 0;
  EXPECT_EQ(TurnFor(&agreement, {false, 1, 0, true}, &now, kLong), Verdict::kCut);
  EXPECT_EQ(TurnFor(&agreement, {false, 1, 0, false}, &now, kLong), Verdict::kGoOn);
}

}  // namespace
}  // namespace heddle
