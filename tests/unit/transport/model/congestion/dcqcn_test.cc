// SPDX-License-Identifier: GPL-2.0-only
/// DCQCN against hand-computed traces and against a reference that ticks every timer one by one.
#include "transport/model/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/random.h"
#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
constexpr std::int64_t kGbps = 1'000'000'000;

class DcqcnSender : public PacedSender<Dcqcn> {
 public:
  explicit DcqcnSender(const Settings& settings = {}, const Pace& start = PaceOf())
      : PacedSender(Congestion(settings), start) {}
  void Cnp(Time now) {
    AckSignals signals;
    signals.now = now;
    signals.congestion = true;
    Ack(signals);
  }
  /// As a host would: the timers due until `now`, one by one.
  void RunTo(Time now) {
    for (Time t = Next(); t <= now; t = Next()) control.OnTimer(&state, &pace, t);
  }
  Time Next() const { return control.NextTimer(state); }
};

TEST(Dcqcn, StartsAtLineRateWithoutTimers) {
  DcqcnSender sender;
  EXPECT_EQ(sender.rate(), 100 * kGbps);
  EXPECT_EQ(sender.Next(), Time::Max());
}

TEST(Dcqcn, AckWithoutCnpTouchesNothing) {
  DcqcnSender sender;
  sender.Cnp(MicroSeconds(1));
  Dcqcn::State before;
  std::memcpy(static_cast<void*>(&before), &sender.state, sizeof before);
  AckSignals signals;
  signals.now = MicroSeconds(5000);
  sender.Ack(signals);
  EXPECT_EQ(std::memcmp(&before, &sender.state, sizeof before), 0);
  EXPECT_EQ(sender.rate(), 100 * kGbps);
}

TEST(Dcqcn, FirstCutComesAtTheFirstCheck) {
  // CNP at 10 us: the check is at 14.001 us. alpha's ticks at 11, 12, 13, 14 us find no new CNP:
  // alpha = (255/256)^4 = 4228250625 / 2^32, exact in a double. R = 10^11 (1 - alpha/2)
  //       = 10^11 * 4361683967 / 2^33 = 50776684882.5..; cut down.
  DcqcnSender sender;
  sender.Cnp(MicroSeconds(10));
  EXPECT_EQ(sender.rate(), 100 * kGbps);
  EXPECT_EQ(sender.Next(), MicroSeconds(14) + NanoSeconds(1));
  sender.RunTo(MicroSeconds(20));
  const auto exact =
      static_cast<std::int64_t>(static_cast<__int128>(100 * kGbps) * 4361683967 / 8589934592);
  EXPECT_EQ(sender.rate(), exact);
  EXPECT_EQ(sender.Next(), MicroSeconds(914) + NanoSeconds(1));  // only the recovery timer is left
}

TEST(Dcqcn, PersistentMarksHalveEveryFourMicrosecondsDownToTheMinimum) {
  // With a CNP in every alpha interval alpha stays (1-g) + g = 1 after the first; alpha's interval
  // of 1 s keeps it at 1.
  DcqcnSender sender(Settings{{"ALPHA_RESUME_INTERVAL", "1s"}});
  std::int64_t expected = 100 * kGbps;
  for (int check = 1; check <= 12; ++check) {
    sender.Cnp(check == 1 ? Time{0} : MicroSeconds(4 * check - 2));
    sender.RunTo(MicroSeconds(4 * check + 1));
    expected = std::max<std::int64_t>(expected / 2, 100'000'000);
    EXPECT_EQ(sender.rate(), expected) << check;
  }
  EXPECT_EQ(sender.state.target.bps,
            100 * kGbps);  // no recovery tick between the cuts: the target stays
}

TEST(Dcqcn, RecoveryTrace) {
  // alpha is 1 throughout, so a cut halves. T_rp 900 us, one tick of fast recovery, AI 50 Mb/s, HAI
  // 100 Mb/s.
  DcqcnSender sender(Settings{{"ALPHA_RESUME_INTERVAL", "1s"}});
  sender.Cnp(Time{0});
  sender.RunTo(MicroSeconds(5));
  EXPECT_EQ(sender.rate(), 50 * kGbps);  // cut at 4.001 us, R_t = 100
  sender.RunTo(MicroSeconds(905));
  EXPECT_EQ(sender.rate(), 75 * kGbps);  // 904.001: (50 + 100) / 2
  sender.Cnp(MicroSeconds(1000));        // next point of the grid 0.001 + 4 k: 1000.001
  EXPECT_EQ(sender.Next(), MicroSeconds(1000) + NanoSeconds(1));
  sender.RunTo(MicroSeconds(1001));
  EXPECT_EQ(sender.rate(),
            37'500'000'000);  // a tick passed since the last cut: R_t = 75, R = 75 / 2
  EXPECT_EQ(sender.state.target.bps, 75 * kGbps);
  sender.RunTo(MicroSeconds(1901));
  EXPECT_EQ(sender.rate(), 56'250'000'000);  // tick 0: (37.5 + 75) / 2
  sender.RunTo(MicroSeconds(2801));
  EXPECT_EQ(sender.rate(), 65'650'000'000);  // tick 1: R_t = 75.05; 28.125 + 37.525
  sender.RunTo(MicroSeconds(3701));
  EXPECT_EQ(sender.rate(), 70'400'000'000);  // tick 2: R_t = 75.15; 32.825 + 37.575
  sender.RunTo(MicroSeconds(4601));
  EXPECT_EQ(sender.rate(), 72'825'000'000);  // tick 3: R_t = 75.25; 35.2 + 37.625
}

TEST(Dcqcn, TimerStopsWhereItChangesNothing) {
  // Halves are cut down, so R = R/2 + 50 Gbps ends at 100 Gbps - 1 bit/s: 49999999999 + 50000000000
  // is R again.
  DcqcnSender sender(Settings{{"ALPHA_RESUME_INTERVAL", "1s"}});
  sender.Cnp(Time{0});
  sender.RunTo(MicroSeconds(900 * 60));
  EXPECT_EQ(sender.Next(), Time::Max());
  EXPECT_EQ(sender.rate(), 100 * kGbps - 1);
  EXPECT_EQ(sender.state.target.bps, 100 * kGbps);
  // A cut long after still knows that recovery ticks have passed: it lowers the target.
  sender.Cnp(MicroSeconds(900'000));
  sender.RunTo(MicroSeconds(900'010));
  EXPECT_EQ(sender.state.target.bps, 100 * kGbps - 1);
  EXPECT_EQ(sender.rate(), 50 * kGbps - 1);
}

TEST(Dcqcn, CnpAtTheInstantOfACheckCountsAfterIt) {
  DcqcnSender sender(Settings{{"ALPHA_RESUME_INTERVAL", "1s"}});
  sender.Cnp(Time{0});
  const Time check = MicroSeconds(4) + NanoSeconds(1);
  sender.Cnp(
      check);  // before the host ran the timer: the check runs first, this CNP waits for the next
  EXPECT_EQ(sender.rate(), 50 * kGbps);
  EXPECT_EQ(sender.Next(), MicroSeconds(8) + NanoSeconds(1));
}

/// The definition: every timer ticks for ever.
class Naive {
 public:
  Naive(const CongestionOptions& options, const Pace& pace)
      : o_(options), line_(pace.line_rate.bps), rate(line_), target(line_) {}

  void RunTo(Time now) {
    if (!started_) return;
    for (;;) {
      const Time t = std::min({alpha_tick_, check_, recovery_});
      if (t > now) return;
      const bool recovery_first =
          o_.Of<Dcqcn>().increase_interval > o_.Of<Dcqcn>().decrease_interval;
      if (alpha_tick_ == t) {
        Alpha();
      } else if (recovery_ == t && (check_ != t || recovery_first)) {
        Recover();
      } else {
        Check();
      }
    }
  }
  void Cnp(Time now) {
    RunTo(now);
    if (!started_) {
      started_ = true;
      alpha_tick_ = now + o_.Of<Dcqcn>().alpha_interval;
      check_ = now + o_.Of<Dcqcn>().decrease_interval + NanoSeconds(1);
      target = rate;
    } else {
      alpha_cnp_ = true;
    }
    decrease_cnp_ = true;
  }

 private:
  void Alpha() {
    alpha = (1 - o_.rates.gain) * alpha + (alpha_cnp_ ? o_.rates.gain : 0);
    alpha_cnp_ = false;
    alpha_tick_ += o_.Of<Dcqcn>().alpha_interval;
  }
  void Check() {
    const Time now = check_;
    check_ += o_.Of<Dcqcn>().decrease_interval;
    if (!decrease_cnp_) return;
    if (o_.Of<Dcqcn>().clamp_target || stage_ != 0) target = rate;
    rate = std::max(o_.rates.minimum.bps,
                    static_cast<std::int64_t>(static_cast<double>(rate) * (1 - alpha / 2)));
    stage_ = 0;
    decrease_cnp_ = false;
    recovery_ = now + o_.Of<Dcqcn>().increase_interval;
  }
  void Recover() {
    recovery_ += o_.Of<Dcqcn>().increase_interval;
    if (stage_ == o_.Of<Dcqcn>().fast_recovery) target += o_.rates.additive_increase.bps;
    if (stage_ > o_.Of<Dcqcn>().fast_recovery) target += o_.rates.hyper_increase.bps;
    target = std::min(target, line_);
    rate = std::max(o_.rates.minimum.bps, rate / 2 + target / 2);
    ++stage_;
  }

  CongestionOptions o_;
  std::int64_t line_;
  bool started_ = false, alpha_cnp_ = false, decrease_cnp_ = false;
  Time alpha_tick_ = Time::Max(), check_ = Time::Max(), recovery_ = Time::Max();
  std::int64_t stage_ = 0;

 public:
  std::int64_t rate, target;
  double alpha = 1;
};

struct Pattern {
  Settings settings;
  std::int64_t longest_gap_ns;  ///< between CNPs
  int cnps;
};

/// Both see the same CNPs and are compared at each, and at a random time between two. Gaps are
/// short and long alike.
void Compare(const Pattern& pattern, std::uint64_t seed, std::int64_t line_bps, bool exact) {
  Pace pace = PaceOf();
  pace.line_rate.bps = line_bps;
  DcqcnSender lazy(pattern.settings, pace);
  Naive naive(Congestion(pattern.settings), pace);
  RandomStream random(seed, line_bps, RandomPurpose::kPermutation);
  Time now = NanoSeconds(100);
  const auto same = [&] {
    lazy.RunTo(now);
    naive.RunTo(now);
    if (exact) {
      ASSERT_EQ(lazy.rate(), naive.rate) << "seed " << seed << " at " << ToText(now);
      ASSERT_EQ(lazy.state.target.bps, naive.target) << "seed " << seed << " at " << ToText(now);
      ASSERT_EQ(lazy.control.AlphaAt(lazy.state, now), naive.alpha)
          << "seed " << seed << " at " << ToText(now);
    } else {
      ASSERT_NEAR(static_cast<double>(lazy.rate()), static_cast<double>(naive.rate), 16);
      ASSERT_NEAR(lazy.control.AlphaAt(lazy.state, now), naive.alpha, 1e-14);
    }
  };
  for (int i = 0; i < pattern.cnps; ++i) {
    const double exponent = random.Uniform();
    const auto gap =
        static_cast<std::int64_t>(std::pow(static_cast<double>(pattern.longest_gap_ns), exponent));
    now += NanoSeconds(gap / 2);
    ASSERT_NO_FATAL_FAILURE(same());
    now += NanoSeconds(gap - gap / 2);
    if (random.Below(4) == 0) {  // else the CNP itself has to catch up
      ASSERT_NO_FATAL_FAILURE(same());
    }
    lazy.Cnp(now);
    naive.Cnp(now);
  }
  now += NanoSeconds(pattern.longest_gap_ns);
  ASSERT_NO_FATAL_FAILURE(same());
}

TEST(Dcqcn, EqualsTheTickingReferenceInEveryBit) {
  const std::vector<Settings> settings = {
      {},
      {{"CLAMP_TARGET_RATE", "1"}},
      {{"RP_TIMER", "4"}, {"FAST_RECOVERY_TIMES", "3"}},  // recovery ticks meet checks
      {{"RP_TIMER", "8"}, {"RATE_AI", "3Gbps"}, {"RATE_HAI", "7Gbps"}},  // and come first
      {{"RP_TIMER", "2"}, {"RATE_DECREASE_INTERVAL", "6"}, {"FAST_RECOVERY_TIMES", "0"}},
      {{"ALPHA_RESUME_INTERVAL", "0.7"}, {"RP_TIMER", "0.9"}, {"EWMA_GAIN", "0.37"}},
      {{"ALPHA_RESUME_INTERVAL", "4.001"}, {"EWMA_GAIN", "0.0625"}},  // alpha's tick meets a check
      {{"RP_TIMER", "20"}, {"MIN_RATE", "40000000001bps"}},
  };
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const Settings& each : settings) {
      for (const std::int64_t line : {100 * kGbps, 400 * kGbps, 99'999'999'999}) {
        ASSERT_NO_FATAL_FAILURE(Compare({each, 40'000, 200}, seed, line, true));
      }
    }
  }
}

TEST(Dcqcn, LongIdleTimesEqualTheReference) {
  // Gaps up to 20 ms: 20,000 ticks at once. Powers of 1/2 are exact in any order of multiplication,
  // so every bit is equal; powers of 255/256 are rounded differently by squaring, by about 1e-16 a
  // step.
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    ASSERT_NO_FATAL_FAILURE(
        Compare({{{"EWMA_GAIN", "0.5"}}, 20'000'000, 60}, seed, 100 * kGbps, true));
    ASSERT_NO_FATAL_FAILURE(
        Compare({{{"EWMA_GAIN", "1"}}, 20'000'000, 60}, seed, 100 * kGbps, true));
    ASSERT_NO_FATAL_FAILURE(Compare({{}, 20'000'000, 60}, seed, 100 * kGbps, false));
  }
}

/// The rate after two CNPs, 2 us and 1000 us after the start, and 1000 us more.
std::int64_t RateWith(const Settings& settings) {
  DcqcnSender sender(settings);
  sender.Cnp(MicroSeconds(2));
  sender.RunTo(MicroSeconds(1000));
  sender.Cnp(MicroSeconds(1000));
  sender.RunTo(MicroSeconds(2950));
  return sender.rate();
}

TEST(Dcqcn, EachKnobTurns) {
  const std::int64_t usual = RateWith({});
  for (const auto& [key, value] : Settings{{"ALPHA_RESUME_INTERVAL", "55"},
                                           {"RATE_DECREASE_INTERVAL", "50"},
                                           {"RP_TIMER", "300"},
                                           {"EWMA_GAIN", "0.0625"},
                                           {"FAST_RECOVERY_TIMES", "5"},
                                           {"RATE_AI", "5Gb/s"}}) {
    EXPECT_NE(RateWith({{key, value}}), usual) << key;
  }
  EXPECT_EQ(RateWith({{"RATE_HAI", "5Gb/s"}}), usual);  // two ticks only
  EXPECT_NE(RateWith({{"RP_TIMER", "300"}, {"RATE_HAI", "5Gb/s"}}),
            RateWith({{"RP_TIMER", "300"}}));
  EXPECT_EQ(RateWith({{"MIN_RATE", "100Gbps"}}), 100 * kGbps);
  EXPECT_EQ(RateWith({{"MIN_RATE", "400Gbps"}}), 100 * kGbps);  // never above the line rate
}

TEST(Dcqcn, ClampTargetLowersTheTargetAtEveryCut) {
  // Two cuts without a recovery tick between them: 100 -> 50 -> 25 Gbps; the first tick then goes
  // half the way to R_t = 100, or with the clamp to R_t = 50.
  for (const auto& [clamp, expected] :
       {std::pair{"0", 62'500'000'000}, std::pair{"1", 37'500'000'000}}) {
    DcqcnSender sender(Settings{{"ALPHA_RESUME_INTERVAL", "1s"}, {"CLAMP_TARGET_RATE", clamp}});
    sender.Cnp(Time{0});
    sender.RunTo(MicroSeconds(5));
    sender.Cnp(MicroSeconds(5));
    sender.RunTo(MicroSeconds(909));
    EXPECT_EQ(sender.rate(), expected);
  }
}

TEST(Dcqcn, OptionsAreChecked) {
  EXPECT_EQ(Congestion({{"RP_TIMER", "0.5"}}).Of<Dcqcn>().increase_interval, NanoSeconds(500));
  EXPECT_EQ(Congestion({{"dcqcn.alpha_interval", "55us"}}).Of<Dcqcn>().alpha_interval,
            MicroSeconds(55));
  EXPECT_EQ(CongestionError("RATE_DECREASE_INTERVAL", "0"),
            "option dcqcn.decrease_interval (RATE_DECREASE_INTERVAL): found '0'. Expected: a time "
            "from 1ns to 1s, in us "
            "unless it has a unit");
  EXPECT_NE(CongestionError("ALPHA_RESUME_INTERVAL", "-1"), "");
  EXPECT_NE(CongestionError("FAST_RECOVERY_TIMES", "-1"), "");
  EXPECT_NE(CongestionError("EWMA_GAIN", "0"), "");
  EXPECT_NE(CongestionError("EWMA_GAIN", "1.5"), "");
  EXPECT_NE(CongestionError("RATE_AI", "0Mb/s"), "");
  EXPECT_NE(CongestionError("RATE_HAI", "50").find("unit"), std::string::npos);
}

}  // namespace
}  // namespace heddle::testing
