// SPDX-License-Identifier: GPL-2.0-only
/// The order and the times of pulls by hand. At 102.4 Gb/s and a share of 0.5 a quantum of 256
/// bytes takes 40 ns and a pull of 64 quanta 2.56 us; slow pulls go up to 600 quanta ahead.
#include "transport/model/uec/pull_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

PullRules Rules(const Settings& more = {}) {
  Settings settings = {{"uec.congestion", "rccc"}, {"uec.pull_rate", "0.5"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return {Uec(settings), UecScale(Uec(settings), MicroSeconds(8), {102'400'000'000}, 1)};
}

using Given = std::vector<std::int64_t>;

class Pacer : public ::testing::Test {
 protected:
  /// Sinks of the next pulls, each taken when it is due; -1 when nothing waits.
  Given Order(int count) {
    Given sinks;
    for (int i = 0; i < count; ++i) {
      if (!pacer_.waiting()) {
        sinks.push_back(-1);
        break;
      }
      last_ = pacer_.Take(pacer_.next(), rules_, 1);
      sinks.push_back(last_.sink);
    }
    return sinks;
  }

  PullRules rules_ = Rules();
  PullPacer pacer_;
  PullPacer::Pull last_;
};

TEST_F(Pacer, RulesFollowOptions) {
  EXPECT_EQ(rules_.pull, 64);
  EXPECT_DOUBLE_EQ(rules_.quantum_ps, 40'000);
  EXPECT_EQ(rules_.ahead, 600);  // 1.5 * 102,400 bytes
  EXPECT_EQ(Rules({{"uec.slow_pulls", "false"}}).ahead, 0);
  EXPECT_EQ(Rules({{"uec.pull", "1023"}}).pull, 3);
}

TEST_F(Pacer, NothingWaitsWithoutDemand) {
  EXPECT_FALSE(pacer_.waiting());
  EXPECT_EQ(pacer_.Add(), 0U);
  EXPECT_EQ(pacer_.Add(), 1U);
  EXPECT_EQ(pacer_.size(), 2U);
  EXPECT_FALSE(pacer_.waiting());
}

TEST_F(Pacer, GivesDemandInPullsOfSixtyFourQuanta) {
  pacer_.Add();
  pacer_.SetTarget(0, 150);
  EXPECT_EQ(pacer_.demand(0), 150);
  PullPacer::Pull pull = pacer_.Take(MicroSeconds(5), rules_, 1);
  EXPECT_EQ(pull.number, 64);
  EXPECT_FALSE(pull.slow);
  EXPECT_EQ(pacer_.next(), NanoSeconds(7560));
  EXPECT_EQ(pacer_.Take(pacer_.next(), rules_, 1).number, 128);
  pull = pacer_.Take(pacer_.next(), rules_, 1);
  EXPECT_EQ(pull.number, 150);  // the rest
  EXPECT_FALSE(pull.slow);
  EXPECT_EQ(pacer_.next(), NanoSeconds(5000 + 150 * 40));
  EXPECT_EQ(pacer_.demand(0), 0);
}

TEST_F(Pacer, RateStretchesTheTimes) {
  pacer_.Add();
  pacer_.SetTarget(0, 64);
  pacer_.Take(Time{0}, rules_, 0.25);
  EXPECT_EQ(pacer_.next(), NanoSeconds(4 * 2560));
}

TEST_F(Pacer, SinksWithDemandTakeTurns) {
  for (int i = 0; i < 3; ++i) pacer_.Add();
  pacer_.SetTarget(2, 200);
  pacer_.SetTarget(0, 64);
  pacer_.SetTarget(1, 128);
  EXPECT_EQ(Order(7), (Given{2, 0, 1, 2, 1, 2, 2}));
}

TEST_F(Pacer, OldTargetsChangeNothing) {
  pacer_.Add();
  pacer_.SetTarget(0, 70);
  pacer_.SetTarget(0, 50);
  EXPECT_EQ(pacer_.demand(0), 70);
  pacer_.SetTarget(0, 71);  // in the row already: not twice
  EXPECT_EQ(Order(2), (Given{0, 0}));
  EXPECT_EQ(last_.number, 71);
  EXPECT_EQ(pacer_.demand(0), 0);
}

TEST_F(Pacer, SlowPullsGoAheadOfDemandUpToALimit) {
  pacer_.Add();
  pacer_.SetTarget(0, 64);
  EXPECT_EQ(Order(1), Given{0});
  for (int i = 1; i <= 10; ++i) {  // 64 * 9 = 576 quanta ahead are below 600, 640 are not
    ASSERT_TRUE(pacer_.waiting()) << i;
    const Time due = pacer_.next();
    const PullPacer::Pull pull = pacer_.Take(due, rules_, 1);
    EXPECT_TRUE(pull.slow);
    EXPECT_EQ(pull.number, 64 + 64 * i);
    EXPECT_EQ(pacer_.next(), due + NanoSeconds(2560));
  }
  EXPECT_FALSE(pacer_.waiting());
}

TEST_F(Pacer, IdleSinksTakeTurnsAndWaitForThoseWithDemand) {
  for (int i = 0; i < 2; ++i) pacer_.Add();
  pacer_.SetTarget(0, 10);
  pacer_.SetTarget(1, 10);
  EXPECT_EQ(Order(5), (Given{0, 1, 0, 1, 0}));
  EXPECT_TRUE(last_.slow);
  pacer_.SetTarget(1, 300);  // keeps its place in the idle row, and gets another
  EXPECT_EQ(Order(4), (Given{1, 1, 1, 1}));
  EXPECT_EQ(last_.number, 74 + 3 * 64 + 34);
  EXPECT_FALSE(last_.slow);
  EXPECT_EQ(Order(4), (Given{1, 0, 1, 1}));
  EXPECT_TRUE(last_.slow);
}

TEST_F(Pacer, TargetsThatAreCoveredGetAPullWithoutCredit) {
  for (int i = 0; i < 2; ++i) pacer_.Add();
  pacer_.SetTarget(0, 10);
  pacer_.SetTarget(1, 10);
  EXPECT_EQ(Order(3), (Given{0, 1, 0}));  // now 64 ahead
  pacer_.SetTarget(0, 70);
  const Time due = pacer_.next();
  const PullPacer::Pull pull = pacer_.Take(due, rules_, 1);
  EXPECT_EQ(pull.sink, 0U);
  EXPECT_EQ(pull.number, 74);
  EXPECT_FALSE(pull.slow);
  EXPECT_EQ(pacer_.next(), due + NanoSeconds(160));  // as 1024 bytes
  EXPECT_EQ(Order(4), (Given{1, 0, 0, 1}));          // twice in the idle row
  Order(100);
  EXPECT_FALSE(pacer_.waiting());
}

TEST_F(Pacer, PlacesInTheIdleRowAreBounded) {
  EXPECT_EQ(rules_.idle_places, 10U);  // 640 quanta are the first multiple of 64 above 600
  pacer_.Add();
  for (int target = 1; target <= 50; ++target) {
    pacer_.SetTarget(0, target);
    EXPECT_EQ(Order(1), Given{0});
    EXPECT_FALSE(last_.slow);
  }
  int slow = 0;
  for (; pacer_.waiting(); ++slow) Order(1);
  EXPECT_EQ(slow, 9 + 10);  // up to 576 ahead it comes back, then ten places are left
}

TEST_F(Pacer, WithoutSlowPullsIdleSinksWait) {
  rules_ = Rules({{"uec.slow_pulls", "false"}});
  pacer_.Add();
  pacer_.SetTarget(0, 64);
  EXPECT_EQ(Order(2), (Given{0, -1}));
  pacer_.SetTarget(0, 65);
  EXPECT_EQ(Order(2), (Given{0, -1}));
  EXPECT_EQ(last_.number, 65);
}

TEST_F(Pacer, RequestsGetAPullWithoutCredit) {
  rules_ = Rules({{"uec.slow_pulls", "false"}});
  pacer_.Add();
  pacer_.Request(0);
  pacer_.Request(0);
  const PullPacer::Pull pull = pacer_.Take(MicroSeconds(1), rules_, 1);
  EXPECT_EQ(pull.number, 0);
  EXPECT_FALSE(pull.slow);
  EXPECT_EQ(pacer_.next(), NanoSeconds(1160));  // as 1024 bytes
  EXPECT_FALSE(pacer_.waiting());
}

TEST_F(Pacer, RequestOvertakesSlowPulls) {
  for (int i = 0; i < 2; ++i) pacer_.Add();
  pacer_.SetTarget(0, 10);
  pacer_.SetTarget(1, 10);
  EXPECT_EQ(Order(2), (Given{0, 1}));
  pacer_.Request(1);
  EXPECT_EQ(Order(1), Given{1});
  EXPECT_FALSE(last_.slow);
  EXPECT_EQ(last_.number, 10);
}

TEST_F(Pacer, CompleteSinksKeepTheirPlacesWhileOthersAreOpen) {
  for (int i = 0; i < 4; ++i) pacer_.Add();
  for (std::uint32_t i = 0; i < 4; ++i) pacer_.SetTarget(i, 100);
  pacer_.Complete(0);
  pacer_.Complete(2);
  EXPECT_FALSE(pacer_.Has(2));
  EXPECT_TRUE(pacer_.Has(3));
  EXPECT_EQ(pacer_.size(), 2U);
  EXPECT_EQ(Order(9), (Given{0, 1, 2, 3, 0, 1, 2, 3, 0}));
  EXPECT_TRUE(last_.slow);
  EXPECT_EQ(pacer_.Add(), 4U);  // no number is free yet
  pacer_.Complete(4);
  pacer_.Complete(3);
  EXPECT_TRUE(pacer_.waiting());
  pacer_.Complete(1);  // the last one
  EXPECT_FALSE(pacer_.waiting());
  EXPECT_EQ(pacer_.size(), 0U);
  std::set<std::uint32_t> numbers;
  for (int i = 0; i < 5; ++i) numbers.insert(pacer_.Add());
  EXPECT_EQ(numbers, (std::set<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(pacer_.waiting());
  EXPECT_EQ(pacer_.demand(1), 0);
}

TEST_F(Pacer, CompleteSinksAreForgottenOnceTheyAreAhead) {
  for (int i = 0; i < 2; ++i) pacer_.Add();
  pacer_.SetTarget(0, 64);
  pacer_.Complete(0);
  EXPECT_EQ(Order(20), (Given{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1}));
  EXPECT_EQ(pacer_.Add(), 0U);
}

TEST_F(Pacer, CompleteSinksWithoutAPlaceAreForgotten) {
  for (int i = 0; i < 3; ++i) pacer_.Add();
  pacer_.SetTarget(0, 100);
  pacer_.Complete(1);
  EXPECT_EQ(pacer_.Add(), 1U);
  EXPECT_EQ(pacer_.demand(1), 0);
  EXPECT_EQ(pacer_.size(), 3U);
}

TEST_F(Pacer, NeverFasterThanItsShareOfTheRate) {
  RandomStream random(1, 2, RandomPurpose::kTrace);
  for (int i = 0; i < 5; ++i) pacer_.Add();
  std::int64_t given = 0;
  std::vector<std::int64_t> numbers(5);
  Time now{0};
  for (int i = 0; i < 5000; ++i) {
    const auto sink = static_cast<std::uint32_t>(random.Below(5));
    pacer_.SetTarget(sink, static_cast<std::int64_t>(random.Below(100)) + i * 10);
    now += NanoSeconds(static_cast<std::int64_t>(random.Below(3000)));
    while (pacer_.waiting() && pacer_.next() <= now) {
      // A pull that is late does not make the next one early.
      const PullPacer::Pull pull = pacer_.Take(now, rules_, 1);
      ASSERT_GE(pull.number, numbers[pull.sink]);
      given += pull.number - numbers[pull.sink];
      numbers[pull.sink] = pull.number;
      ASSERT_LE(given * 40, now.ps / 1000 + 64 * 40);
    }
  }
  EXPECT_GT(given, 100'000);
}

TEST_F(Pacer, GoesOnAfterSaving) {
  for (int i = 0; i < 4; ++i) pacer_.Add();
  pacer_.SetTarget(1, 200);
  pacer_.SetTarget(3, 10);
  pacer_.SetTarget(0, 90);
  pacer_.Complete(2);
  Order(2);
  auto copy = Loaded<PullPacer>(Saved(pacer_));
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(copy.waiting(), pacer_.waiting());
    ASSERT_EQ(copy.next(), pacer_.next());
    const PullPacer::Pull a = pacer_.Take(pacer_.next(), rules_, 1);
    const PullPacer::Pull b = copy.Take(copy.next(), rules_, 1);
    ASSERT_EQ(a.sink, b.sink);
    ASSERT_EQ(a.number, b.number);
  }
  EXPECT_EQ(copy.Add(), 2U);
}

TEST_F(Pacer, DamagedStateIsRefusedOrHarmless) {
  for (int i = 0; i < 5; ++i) pacer_.Add();
  pacer_.SetTarget(1, 200);
  pacer_.SetTarget(4, 10);
  pacer_.SetTarget(0, 90);
  pacer_.Complete(2);
  pacer_.Complete(3);
  Order(2);
  const int refused = Damaged(pacer_, [&](PullPacer* pacer) {
    for (std::uint32_t sink = 0; sink < 5; ++sink) {
      if (pacer->Has(sink)) pacer->Request(sink);
    }
    for (int i = 0; i < 20 && pacer->waiting(); ++i)
      pacer->Take(std::max(pacer->next(), Time{0}), rules_, 1);
    for (std::uint32_t sink = 0; sink < 5; ++sink) {
      if (pacer->Has(sink)) pacer->Complete(sink);
    }
    std::set<std::uint32_t> fresh;
    for (int i = 0; i < 5; ++i) fresh.insert(pacer->Add());
    EXPECT_EQ(fresh.size(), 5U);
  });
  EXPECT_GE(refused, 200);
}

}  // namespace
}  // namespace heddle::testing
