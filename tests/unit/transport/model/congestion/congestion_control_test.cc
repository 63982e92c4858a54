// SPDX-License-Identifier: GPL-2.0-only
/// The face of all algorithms: choice by number, traits, and the same results as the algorithm
/// called directly.
#include "transport/model/congestion/congestion_control.h"

#include <gtest/gtest.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <cstring>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/random.h"
#include "core/options/options.h"
#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

CongestionControl ControlOf(const std::string& mode) {
  return CongestionControl(Congestion({{"CC_MODE", mode}}));
}

/// `act` gets a pointer to each algorithm of the list, null, for its type.
template <class Act, class... Algorithm>
void ForEach(const std::variant<Algorithm...>* /*list*/, const Act& act) {
  (act(static_cast<const Algorithm*>(nullptr)), ...);
}
template <class Act>
void ForEachAlgorithm(const Act& act) {
  ForEach(static_cast<const CongestionAlgorithms*>(nullptr), act);
}
template <class Pointer>
using AlgorithmOf = std::remove_cv_t<std::remove_pointer_t<Pointer>>;

TEST(CongestionControl, TraitsOfEachMode) {
  struct Row {
    const char* mode;
    const char* name;
    bool ecn, tail, stamps, retimes;
    std::int64_t first_stamp;  ///< at 5 ps
    std::int64_t header, ack;
  };
  // Header and ACK bytes: SimAI's, see the reference on packets.
  const std::vector<Row> rows = {{"0", "none", false, false, false, false, 5, 0, 60},
                                 {"1", "DCQCN", true, false, false, false, 5, 0, 60},
                                 {"3", "HPCC", false, true, true, true, 5, 42, 92},
                                 {"7", "TIMELY", false, false, false, false, 5, 8, 60},
                                 {"8", "DCTCP", true, false, false, false, 5, 0, 60},
                                 {"10", "HPCC-PINT", false, false, true, true, 0, 2, 60}};
  EXPECT_EQ(rows.size(), std::variant_size_v<CongestionAlgorithms>);
  for (const Row& row : rows) {
    const CongestionControl control = ControlOf(row.mode);
    EXPECT_EQ(std::to_string(control.mode()), row.mode);
    EXPECT_STREQ(control.name(), row.name);
    EXPECT_EQ(control.needs_ecn(), row.ecn) << row.name;
    EXPECT_EQ(control.carries_tail(), row.tail) << row.name;
    EXPECT_EQ(control.stamps(), row.stamps) << row.name;
    EXPECT_EQ(control.retimes(), row.retimes) << row.name;
    EXPECT_EQ(control.FirstStampAt(PicoSeconds(5)), row.first_stamp) << row.name;
    EXPECT_EQ(control.header_bytes(), row.header) << row.name;
    EXPECT_EQ(control.ack_bytes(), row.ack) << row.name;
    EXPECT_LE(control.header_bytes(), CongestionControl::kMostHeaderBytes) << row.name;
  }
}

TEST(CongestionControl, DefaultIsSimAisDcqcn) {
  EXPECT_EQ(CongestionControl(CongestionOptions{}).mode(), 1);
}

/// As messages print them, in any capitals.
TEST(CongestionControl, ModesHaveNames) {
  EXPECT_EQ(Congestion({{"CC_MODE", "dcqcn"}}).mode, 1);
  EXPECT_EQ(Congestion({{"CC_MODE", "HPCC"}}).mode, 3);
  EXPECT_EQ(Congestion({{"transport.congestion_control", "hpcc-pint"}}).mode, 10);
  EXPECT_EQ(Congestion({{"CC_MODE", "none"}}).mode, 0);
}

TEST(CongestionControl, OtherModesAreRefusedByName) {
  const std::string names = "0 (none), 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP), 10 (HPCC-PINT)";
  for (const char* mode : {"2", "11", "-1", "01", "dcqcnn", ""}) {
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

/// Two ports that stamp packets, loaded at random, and the tail and the stamp of a packet that has
/// passed them: by `Face`, an algorithm or a CongestionControl.
template <class PortState, class Tail>
struct StampedPath {
  PortState ports[2] = {};
  std::int64_t sent_bytes[2] = {};
  Tail tail = {};
  std::int64_t stamp = 0;

  template <class Face>
  void Pass(const Face& face, std::int64_t first_stamp, Time now, Time gap, RandomStream* random) {
    stamp = first_stamp;
    tail = Tail{};
    for (int hop = 0; hop < 2; ++hop) {
      sent_bytes[hop] += gap.ps / 1000 * static_cast<std::int64_t>(random->Below(16));
      const PortReading reading{now,
                                BitRate{64'000'000'000},
                                sent_bytes[hop],
                                static_cast<std::int64_t>(random->Below(50'000)),
                                9000,
                                MicroSeconds(10)};
      face.Stamp(reading, &ports[hop], &stamp, &tail);
    }
  }
};

/// A random history of ACKs, of data packets that ports have stamped as the algorithm declares.
template <class Algorithm, class Act>
void History(std::uint64_t seed, const Algorithm& algorithm, const Act& act) {
  RandomStream random(seed, 0, RandomPurpose::kPermutation);
  AckSignals signals;
  StampedPath<typename Algorithm::PortState, typename Algorithm::Tail> path;
  for (int i = 0; i < 2000; ++i) {
    const auto gap = PicoSeconds(static_cast<std::int64_t>(random.Below(3'000'000)) + 1);
    signals.now += gap;
    signals.acknowledged += static_cast<std::int64_t>(random.Below(20'000));
    signals.next = signals.acknowledged + static_cast<std::int64_t>(random.Below(100'000));
    signals.congestion = random.Below(8) == 0;
    const Time sent = signals.now - MicroSeconds(20 + static_cast<std::int64_t>(random.Below(700)));
    signals.stamp = Algorithm::kFirstStamp == FirstStamp::kSendTime ? sent.ps : 0;
    if constexpr (Algorithm::kStamps) {
      path.Pass(algorithm, signals.stamp, signals.now, gap, &random);
      signals.stamp = path.stamp;
      if constexpr (!std::is_same_v<typename Algorithm::Tail, Nothing>) signals.tail = &path.tail;
    }
    act(signals);
  }
}

template <class Value>
bool IsZeroBytes(const Value& value) {
  const unsigned char zero[sizeof(Value)] = {};
  return std::memcmp(&value, zero, sizeof(Value)) == 0;
}

TEST(Declarations, TailsAndPortStatesStartAsZeroBytes) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    if constexpr (!std::is_same_v<typename Algorithm::Tail, Nothing>) {
      EXPECT_TRUE(IsZeroBytes(typename Algorithm::Tail())) << Algorithm::kName;
      EXPECT_TRUE(typename Algorithm::Tail().sound()) << Algorithm::kName;
    }
    if constexpr (!std::is_same_v<typename Algorithm::PortState, Nothing>) {
      EXPECT_TRUE(IsZeroBytes(typename Algorithm::PortState())) << Algorithm::kName;
    }
  });
}

TEST(Declarations, StampsOfTheFaceAreTheAlgorithms) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    if constexpr (Algorithm::kStamps) {
      struct RoomForTail {
        alignas(CongestionControl::kTailAlign) unsigned char bytes[CongestionControl::kTailBytes];
      };
      const CongestionOptions options = Congestion({{"CC_MODE", std::to_string(Algorithm::kMode)}});
      const Algorithm direct = MakeAlgorithm<Algorithm>(options);
      const CongestionControl control(options);
      StampedPath<typename Algorithm::PortState, typename Algorithm::Tail> expected;
      StampedPath<CongestionControl::PortState, RoomForTail> path;
      RandomStream a(3, 0, RandomPurpose::kPermutation), b = a;
      bool writes = false;
      Time now;
      for (int i = 0; i < 100; ++i, now += NanoSeconds(800)) {
        const std::int64_t first = control.FirstStampAt(now);
        expected.Pass(direct, first, now, NanoSeconds(800), &a);
        path.Pass(control, first, now, NanoSeconds(800), &b);
        ASSERT_EQ(path.stamp, expected.stamp) << Algorithm::kName;
        ASSERT_GE(path.stamp, 0) << Algorithm::kName;
        ASSERT_LT(path.stamp, std::int64_t{1} << 62) << Algorithm::kName;
        ASSERT_EQ(std::memcmp(&path.tail, &expected.tail, sizeof expected.tail), 0);
        ASSERT_TRUE(control.IsSound(&path.tail)) << Algorithm::kName;
        writes = writes || path.stamp != first || !IsZeroBytes(path.tail);
      }
      EXPECT_TRUE(writes) << Algorithm::kName << " declares kStamps and writes nothing";
    }
  });
}

TEST(Declarations, DamagedTailsAreFound) {
  unsigned char damaged[CongestionControl::kTailBytes];
  std::memset(damaged, 0xff, sizeof damaged);
  ForEachAlgorithm([&](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    const CongestionControl control = ControlOf(std::to_string(Algorithm::kMode));
    EXPECT_EQ(control.IsSound(damaged), !control.carries_tail()) << Algorithm::kName;
  });
}

/// What an algorithm does in a history whose ACKs are changed by `change` first.
template <class Algorithm, class Change>
std::vector<std::int64_t> RatesOf(const Change& change) {
  PacedSender<Algorithm> sender({});
  std::vector<std::int64_t> rates;
  History(9, sender.control, [&](AckSignals signals) {
    for (Time t = sender.control.NextTimer(sender.state); t <= signals.now;
         t = sender.control.NextTimer(sender.state)) {
      sender.control.OnTimer(&sender.state, &sender.pace, t);
    }
    change(&signals);
    sender.Ack(signals);
    rates.push_back(sender.rate());
  });
  return rates;
}

TEST(Declarations, WhoNeedsEcnHeedsMarksAndNobodyElseDoes) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    const auto with = RatesOf<Algorithm>([](AckSignals* /*signals*/) {});
    const auto without =
        RatesOf<Algorithm>([](AckSignals* signals) { signals->congestion = false; });
    EXPECT_EQ(with != without, Algorithm::kNeedsEcn) << Algorithm::kName;
  });
}

TEST(Declarations, WhoActsOnlyOnCongestionIgnoresTheOtherAcks) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    PacedSender<Algorithm> sender({});
    bool changes = false;
    History(10, sender.control, [&](AckSignals signals) {
      signals.congestion = false;
      const auto before = sender.state;
      const BitRate rate = sender.pace.rate;
      sender.Ack(signals);
      changes = changes || sender.pace.rate != rate ||
                (!std::is_empty_v<typename Algorithm::State> &&
                 std::memcmp(&before, &sender.state, sizeof before) != 0);
    });
    EXPECT_EQ(changes, !Algorithm::kOnlyOnCongestion) << Algorithm::kName;
  });
}

TEST(Declarations, WhoHasTimersSetsThem) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    PacedSender<Algorithm> sender({});
    bool timer = false;
    History(11, sender.control, [&](const AckSignals& signals) {
      sender.Ack(signals);
      timer = timer || sender.control.NextTimer(sender.state) < Time::Max();
    });
    EXPECT_EQ(timer, Algorithm::kHasTimers) << Algorithm::kName;
  });
}

/// The algorithm itself and the joined one run side by side; half way the joined state goes through
/// an archive.
template <class Algorithm>
void ExpectSameAsDirect() {
  const CongestionOptions options = Congestion(
      {{"CC_MODE", std::to_string(Algorithm::kMode)}, {"PINT_PROB", "0.5"}, {"MI_THRESH", "2"}});
  const CongestionControl control(options);
  PacedSender<Algorithm> direct(options);
  CongestionControl::State state;
  Pace pace = PaceOf();
  control.Start(&state, &pace, 1, AnyFlow());
  std::int64_t lowest = pace.rate.bps;
  int step = 0;
  History(5, direct.control, [&](const AckSignals& signals) {
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
  ForEachAlgorithm([](auto* type) { ExpectSameAsDirect<AlgorithmOf<decltype(type)>>(); });
}

TEST(CongestionControl, AMinimumAboveTheLineRateMeansTheLineRate) {
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    const CongestionOptions options =
        Congestion({{"CC_MODE", std::to_string(Algorithm::kMode)}, {"MIN_RATE", "400Gbps"}});
    const CongestionControl control(options);
    CongestionControl::State state;
    Pace pace = PaceOf();
    control.Start(&state, &pace, 1, AnyFlow());
    History(6, MakeAlgorithm<Algorithm>(options), [&](const AckSignals& signals) {
      control.OnTimer(&state, &pace, signals.now);
      control.OnAck(&state, &pace, signals);
      ASSERT_EQ(pace.rate, pace.line_rate) << Algorithm::kName;
    });
  });
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
  ForEachAlgorithm([](auto* type) {
    using Algorithm = AlgorithmOf<decltype(type)>;
    if constexpr (!std::is_empty_v<typename Algorithm::State>) {
      PacedSender<Algorithm> sender({});
      History(7, sender.control, [&](const AckSignals& signals) { sender.Ack(signals); });
      ExpectArchived(sender.state);
      ExpectArchived(sender.pace);
    }
  });
}

}  // namespace
}  // namespace heddle::testing
