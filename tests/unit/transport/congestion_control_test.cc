// SPDX-License-Identifier: GPL-2.0-only
/// The face of all algorithms: choice by number, traits, and the same results as the algorithm
/// called directly.
#include "transport/congestion/congestion_control.h"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstring>
#include <sstream>

#include "core/base/random.h"
#include "tests/unit/transport/pace_test_util.h"

namespace heddle::testing {
namespace {

CongestionControl ControlOf(const std::string& mode) {
  return CongestionControl(Congestion({{"CC_MODE", mode}}));
}

TEST(CongestionControl, TraitsOfEachMode) {
  struct Row {
    const char* mode;
    const char* name;
    bool ecn, telemetry, pint, retimes;
    std::int64_t header, ack;
  };
  // Header and ACK bytes: SimAI's, see the reference on packets.
  for (const Row& row : {Row{"0", "none", false, false, false, false, 0, 60},
                         Row{"1", "DCQCN", true, false, false, false, 0, 60},
                         Row{"3", "HPCC", false, true, false, true, 42, 92},
                         Row{"7", "TIMELY", false, false, false, false, 8, 60},
                         Row{"8", "DCTCP", true, false, false, false, 0, 60},
                         Row{"10", "HPCC-PINT", false, false, true, true, 2, 60}}) {
    const CongestionControl control = ControlOf(row.mode);
    EXPECT_EQ(std::to_string(control.mode()), row.mode);
    EXPECT_STREQ(control.name(), row.name);
    EXPECT_EQ(control.needs_ecn(), row.ecn) << row.name;
    EXPECT_EQ(control.carries_telemetry(), row.telemetry) << row.name;
    EXPECT_EQ(control.stamps_pint(), row.pint) << row.name;
    EXPECT_EQ(control.pint() != nullptr, row.pint) << row.name;
    EXPECT_EQ(control.retimes(), row.retimes) << row.name;
    EXPECT_EQ(control.header_bytes(), row.header) << row.name;
    EXPECT_EQ(control.ack_bytes(), row.ack) << row.name;
  }
}

TEST(CongestionControl, DefaultIsSimAisDcqcn) {
  EXPECT_EQ(CongestionControl(CongestionOptions{}).mode(), 1);
}

TEST(CongestionControl, OtherModesAreRefusedByName) {
  const std::string names = "0 (none), 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 10 (HPCC-PINT)";
  for (const char* mode : {"2", "11", "-1", "01", "dcqcn", ""}) {
    EXPECT_EQ(CongestionError("CC_MODE", mode),
              std::string("option transport.congestion_control (CC_MODE): found '") + mode +
                  "'. Expected: one of " + names);
  }
  CongestionOptions options;
  options.mode = 5;
  try {
    CongestionControl control(options);
    FAIL() << "built with mode 5";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(names), std::string::npos);
  }
}

TEST(CongestionControl, CoversSimAisKeysWithItsValues) {
  CongestionOptions options;
  OptionSet set;
  options.Declare(&set);
  // The lines of SimAI.conf; setting them changes nothing, since they are the defaults.
  const std::vector<std::pair<std::string, std::string>> conf = {{"CC_MODE", "1"},
                                                                 {"CLAMP_TARGET_RATE", "0"},
                                                                 {"ALPHA_RESUME_INTERVAL", "1"},
                                                                 {"RATE_DECREASE_INTERVAL", "4"},
                                                                 {"RP_TIMER", "900"},
                                                                 {"EWMA_GAIN", "0.00390625"},
                                                                 {"FAST_RECOVERY_TIMES", "1"},
                                                                 {"RATE_AI", "50Mb/s"},
                                                                 {"RATE_HAI", "100Mb/s"},
                                                                 {"MIN_RATE", "100Mb/s"},
                                                                 {"DCTCP_RATE_AI", "1000Mb/s"},
                                                                 {"FAST_REACT", "1"},
                                                                 {"MULTI_RATE", "0"},
                                                                 {"SAMPLE_FEEDBACK", "0"},
                                                                 {"U_TARGET", "0.95"},
                                                                 {"MI_THRESH", "0"},
                                                                 {"PINT_LOG_BASE", "1.05"},
                                                                 {"PINT_PROB", "1.0"}};
  for (const auto& [key, value] : conf) set.Set(key, value);
  std::size_t aliases = 0;
  for (const Option& option : set.options()) {
    EXPECT_EQ(option.get(), option.default_text) << option.key;
    EXPECT_FALSE(option.help.empty() || option.range.empty() || option.source.empty())
        << option.key;
    aliases += option.simai_key.empty() ? 0 : 1;
  }
  EXPECT_EQ(aliases, conf.size());
  set.Set("INT_MULTI", "1");
  EXPECT_EQ(set.given_but_unused(), std::vector<std::string>{"INT_MULTI"});
}

/// A random history of ACKs that means something to every algorithm.
template <class Act>
void History(std::uint64_t seed, const Pint& pint, const Act& act) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  AckSignals signals;
  Telemetry telemetry;
  telemetry.count = 2;
  for (auto& hop : telemetry.hops) hop.rate_bps = 64e9F;
  for (int i = 0; i < 2000; ++i) {
    const auto gap = static_cast<std::int64_t>(random.Below(3'000'000)) + 1;
    signals.now += PicoSeconds(gap);
    signals.acknowledged += static_cast<std::int64_t>(random.Below(20'000));
    signals.next = signals.acknowledged + static_cast<std::int64_t>(random.Below(100'000));
    signals.congestion = random.Below(8) == 0;
    signals.round_trip = MicroSeconds(20 + static_cast<std::int64_t>(random.Below(700)));
    signals.pint = pint.Encode(2 * random.Uniform());
    for (std::uint32_t h = 0; h < telemetry.count; ++h) {
      telemetry.hops[h].time_ps = signals.now.ps;
      telemetry.hops[h].sent_bytes += gap * static_cast<std::int64_t>(random.Below(16)) / 1000;
      telemetry.hops[h].queued_bytes = static_cast<std::uint32_t>(random.Below(50'000));
    }
    signals.telemetry = &telemetry;
    act(signals);
  }
}

/// The algorithm itself and the joined one run side by side; half way the joined state goes through
/// an archive.
template <class Algorithm>
void ExpectSameAsDirect() {
  const CongestionOptions options = Congestion(
      {{"CC_MODE", std::to_string(Algorithm::kMode)}, {"PINT_PROB", "0.5"}, {"MI_THRESH", "2"}});
  const CongestionControl control(options);
  const Pint pint = MakeAlgorithm<Pint>(options);
  Sender<Algorithm> direct(options);
  CongestionControl::State state;
  Pace pace = PaceOf();
  control.Start(&state, &pace, 1, AnyFlow());
  std::int64_t lowest = pace.rate.bps;
  int step = 0;
  History(5, pint, [&](const AckSignals& signals) {
    for (Time t = control.NextTimer(state); t <= signals.now; t = control.NextTimer(state)) {
      ASSERT_EQ(t, direct.control.NextTimer(direct.state));
      control.OnTimer(&state, &pace, t);
      direct.control.OnTimer(&direct.state, &direct.pace, t);
    }
    control.OnAck(&state, &pace, signals);
    direct.Ack(signals);
    ASSERT_EQ(pace.rate.bps, direct.rate()) << Algorithm::kName;
    ASSERT_EQ(control.NextTimer(state), direct.control.NextTimer(direct.state));
    ASSERT_GE(pace.rate.bps, 100'000'000);
    ASSERT_LE(pace.rate.bps, pace.line_rate.bps);
    lowest = std::min(lowest, pace.rate.bps);
    if (++step == 1000) {
      std::stringstream text;
      boost::archive::binary_oarchive(text) << const_cast<const CongestionControl::State&>(state);
      CongestionControl::State copy;
      boost::archive::binary_iarchive(text) >> copy;
      state = copy;
    }
  });
  EXPECT_EQ(lowest < pace.line_rate.bps, Algorithm::kMode != 0)
      << Algorithm::kName << " never reacted";
}

TEST(CongestionControl, EqualsTheAlgorithmCalledDirectly) {
  ExpectSameAsDirect<NoControl>();
  ExpectSameAsDirect<Dcqcn>();
  ExpectSameAsDirect<Hpcc>();
  ExpectSameAsDirect<Timely>();
  ExpectSameAsDirect<Dctcp>();
  ExpectSameAsDirect<Pint>();
}

TEST(CongestionControl, AMinimumAboveTheLineRateMeansTheLineRate) {
  for (const char* mode : {"1", "3", "7", "8", "10"}) {
    const CongestionOptions options = Congestion({{"CC_MODE", mode}, {"MIN_RATE", "400Gbps"}});
    const CongestionControl control(options);
    CongestionControl::State state;
    Pace pace = PaceOf();
    control.Start(&state, &pace, 1, AnyFlow());
    History(6, MakeAlgorithm<Pint>(options), [&](const AckSignals& signals) {
      control.OnTimer(&state, &pace, signals.now);
      control.OnAck(&state, &pace, signals);
      ASSERT_EQ(pace.rate, pace.line_rate) << mode;
    });
  }
}

/// Every algorithm's own state survives an archive, field by field.
template <class State>
void ExpectArchived(const State& state) {
  std::stringstream text;
  boost::archive::binary_oarchive(text) << state;
  State copy{};
  boost::archive::binary_iarchive(text) >> copy;
  std::stringstream again;
  boost::archive::binary_oarchive(again) << const_cast<const State&>(copy);
  EXPECT_EQ(text.str(), again.str());
}

TEST(CongestionControl, StatesAreArchived) {
  const CongestionOptions options;
  Sender<Dcqcn> dcqcn(options);
  Sender<Hpcc> hpcc(options);
  Sender<Timely> timely(options);
  Sender<Dctcp> dctcp(options);
  Sender<Pint> pint(options);
  History(7, pint.control, [&](const AckSignals& signals) {
    dcqcn.Ack(signals);
    hpcc.Ack(signals);
    timely.Ack(signals);
    dctcp.Ack(signals);
    pint.Ack(signals);
  });
  ExpectArchived(dcqcn.state);
  ExpectArchived(hpcc.state);
  ExpectArchived(timely.state);
  ExpectArchived(dctcp.state);
  ExpectArchived(pint.state);
  ExpectArchived(dcqcn.pace);
}

}  // namespace
}  // namespace heddle::testing
