// SPDX-License-Identifier: GPL-2.0-only
#include "transport/model/requests/polling.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/base/exponential.h"
#include "core/options/enum_words.h"
#include "tests/unit/transport/model/requests/copied.h"

namespace heddle::testing {
namespace {

using Jitter = PollingOptions::Jitter;

PollingOptions Polling(Time interval, Jitter jitter = Jitter::kNone, Time jitter_time = {}) {
  PollingOptions options;
  options.interval = interval;
  options.jitter = jitter;
  options.jitter_time = jitter_time;
  return options;
}

/// The phase as the definition has it: the first draw of the connection's stream.
Time PhaseOf(std::uint64_t seed, std::uint64_t connection, Time interval) {
  RandomStream random(seed, connection, RandomPurpose::kPolling);
  return {static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(interval.ps)))};
}

TEST(Polling, WithoutAnIntervalAtOnce) {
  const PollingOptions options = Polling(Time{0});
  PollingState state(options, 1, 2);
  for (const std::int64_t ns : {0, 1, 5, 5, 1000})
    EXPECT_EQ(NextPoll(options, &state, NanoSeconds(ns)), NanoSeconds(ns));
}

TEST(Polling, AtMultiplesOfThePeriodAfterThePhase) {
  const Time period = MicroSeconds(1);
  const PollingOptions options = Polling(period);
  const Time phase = PhaseOf(1, 2, period);
  ASSERT_GT(phase, Time{0});
  PollingState state(options, 1, 2);
  EXPECT_EQ(NextPoll(options, &state, Time{0}), phase);
  EXPECT_EQ(NextPoll(options, &state, phase), phase);  // the same look sees it
  EXPECT_EQ(NextPoll(options, &state, phase + Time{1}), phase + period);
  EXPECT_EQ(NextPoll(options, &state, phase + period), phase + period);
  EXPECT_EQ(NextPoll(options, &state, phase + period * 7 - Time{1}), phase + period * 7);
  EXPECT_EQ(NextPoll(options, &state, phase + period * 9), phase + period * 9);
}

TEST(Polling, ConnectionsHavePhasesOfTheirOwn) {
  const PollingOptions options = Polling(MicroSeconds(1));
  std::set<std::int64_t> phases;
  for (std::uint64_t connection = 0; connection < 100; ++connection) {
    PollingState state(options, 1, connection), again(options, 1, connection);
    const Time phase = NextPoll(options, &state, Time{0});
    EXPECT_LT(phase, MicroSeconds(1));
    EXPECT_EQ(NextPoll(options, &again, Time{0}), phase);
    phases.insert(phase.ps);
  }
  EXPECT_GT(phases.size(), 98U);
}

TEST(Polling, JitterDelaysALook) {
  const Time period = MicroSeconds(1), mean = NanoSeconds(300);
  RandomStream random(4, 5, RandomPurpose::kPolling);
  const Time phase{static_cast<std::int64_t>(random.Below(1'000'000))};
  const PollingOptions uniform = Polling(period, Jitter::kUniform, mean);
  PollingState state(uniform, 4, 5);
  EXPECT_EQ(NextPoll(uniform, &state, phase + Time{1}),
            phase + period + Time{static_cast<std::int64_t>(random.Uniform() * 300'000)});

  RandomStream other(4, 5, RandomPurpose::kPolling);
  other.Below(1);
  const PollingOptions exponential = Polling(period, Jitter::kExponential, mean);
  PollingState late(exponential, 4, 5);
  EXPECT_EQ(NextPoll(exponential, &late, phase),
            phase + Time{static_cast<std::int64_t>(DrawExponential(&other) * 300'000)});
}

/// A look that is late sees what completes until then, even beyond the next multiple.
TEST(Polling, ALateLookSeesAllUntilThen) {
  const Time period = MicroSeconds(1);
  const PollingOptions options = Polling(period, Jitter::kExponential, MicroSeconds(100));
  PollingState state(options, 1, 1);
  const Time seen = NextPoll(options, &state, MicroSeconds(50));
  ASSERT_GT(seen, MicroSeconds(52));
  EXPECT_EQ(NextPoll(options, &state, MicroSeconds(51)), seen);
  EXPECT_EQ(NextPoll(options, &state, seen), seen);
  EXPECT_GT(NextPoll(options, &state, seen + Time{1}), seen);
}

TEST(Polling, NeverBeforeTheCompletionAndInOrder) {
  for (const Jitter jitter : {Jitter::kNone, Jitter::kUniform, Jitter::kExponential}) {
    const PollingOptions options = Polling(NanoSeconds(700), jitter, NanoSeconds(900));
    PollingState state(options, 3, 9);
    RandomStream random(1, 1, RandomPurpose::kPlacement);
    Time completed, last;
    double late = 0;
    for (int i = 0; i < 10'000; ++i) {
      completed += Time{static_cast<std::int64_t>(random.Below(20'000'000))};
      const Time seen = NextPoll(options, &state, completed);
      ASSERT_GE(seen, completed);
      ASSERT_GE(seen, last);
      last = seen;
      late += (seen - completed).microseconds();
    }
    // Half a period, and the mean of the jitter; spacing of 10 us hides little of it.
    const double mean = jitter == Jitter::kNone ? 0.35 : jitter == Jitter::kUniform ? 0.80 : 1.25;
    EXPECT_NEAR(late / 10'000, mean, 0.04) << ToText(jitter);
  }
}

TEST(Polling, ASavedStateContinuesAlike) {
  const PollingOptions options = Polling(MicroSeconds(1), Jitter::kUniform, MicroSeconds(5));
  PollingState state(options, 3, 9), copy(options, 0, 0);
  NextPoll(options, &state, MicroSeconds(10));
  Copy(state, &copy);
  for (int us = 11; us < 60; us += 3)
    EXPECT_EQ(NextPoll(options, &copy, MicroSeconds(us)),
              NextPoll(options, &state, MicroSeconds(us)));
}

TEST(Polling, DamagedStateIsRefused) {
  const PollingOptions options = Polling(MicroSeconds(1));
  PollingState state(options, 3, 9);
  NextPoll(options, &state, MicroSeconds(10));
  // Random state, phase, last look; 8 bytes each.
  for (const std::int64_t phase : {std::int64_t{-1}, MicroSeconds(1'000'001).ps})
    EXPECT_NE(RefusedWith(state, 8, phase), "") << phase;
  for (const std::int64_t last : {std::int64_t{-2}, Time::Max().ps})
    EXPECT_NE(RefusedWith(state, 16, last), "") << last;
  EXPECT_EQ(RefusedWith(state, 8, std::int64_t{5}), "");
}

}  // namespace
}  // namespace heddle::testing
