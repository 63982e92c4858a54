// SPDX-License-Identifier: GPL-2.0-only
/// HPCC-PINT: the port's average against closed forms, the code's precision, the sender against
/// hand-computed steps.
#include "transport/model/congestion/pint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/unit/transport/model/congestion/pace_test_util.h"

namespace heddle::testing {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
constexpr BitRate kRate{80'000'000'000};  // 10 B/ns, so B T = 100,000 B in T = 10 us
constexpr Time kRtt = MicroSeconds(10);

class PintSender : public PacedSender<Pint> {
 public:
  explicit PintSender(const Settings& settings = {}) : PacedSender(Congestion(settings)) {}
  void Code(std::int64_t acknowledged, std::int64_t next, std::uint16_t code) {
    AckSignals signals;
    signals.acknowledged = acknowledged;
    signals.next = next;
    signals.stamp = code;
    Ack(signals);
  }
};

TEST(Pint, CodesKeepARatio) {
  for (const char* base : {"1.05", "1.001", "2"}) {
    const Pint pint = MakeAlgorithm<Pint>(Congestion({{"PINT_LOG_BASE", base}}));
    const double b = std::stod(base);
    std::uint16_t before = 0;
    for (double load = 0.001; load < 1000; load *= 1.0007) {
      const std::uint16_t code = pint.Encode(load);
      EXPECT_GE(code, before);
      before = code;
      EXPECT_LE(std::abs(std::log(pint.Decode(code) / load)), 0.5 * std::log(b) + 1e-9) << load;
      EXPECT_EQ(pint.Encode(pint.Decode(code)), code);
    }
    EXPECT_NEAR(std::log(pint.Decode(101) / pint.Decode(1)), 100 * std::log(b),
                base[0] == '2' ? 80 : 1e-9);
  }
}

TEST(Pint, CodesAtTheEnds) {
  const Pint pint = MakeAlgorithm<Pint>({});
  EXPECT_EQ(pint.Encode(0), 1);
  EXPECT_EQ(pint.Encode(1e-6), 1);
  EXPECT_EQ(pint.Decode(1), 0x1p-10);
  EXPECT_EQ(pint.Decode(0), 0);
  EXPECT_EQ(pint.Encode(1e9), pint.Encode(2e3));
  EXPECT_GT(pint.Decode(65535), 1000);  // a code that no port sends
}

/// The code of a port's load, by a packet that no port has stamped.
std::int64_t StampOf(const Pint& pint, Pint::PortState* port, Time now, std::int64_t queued_bytes,
                     std::int64_t packet_bytes) {
  std::int64_t stamp = 0;
  pint.Stamp({now, kRate, 0, queued_bytes, packet_bytes, kRtt}, port, &stamp, nullptr);
  return stamp;
}

TEST(Pint, PortAverageFollowsTheDefinition) {
  const Pint pint = MakeAlgorithm<Pint>({});
  Pint::PortState port;
  // Long idle: dt = T, queue 20,000 B: U = 1 * 0.2.
  StampOf(pint, &port, MicroSeconds(100), 20'000, 9000);
  EXPECT_NEAR(port.utilisation, 0.2, 1e-12);
  // dt = 2.5 us, queue 40,000 B, 9000 B before: 0.25 * 0.4 + 0.09 + 0.75 * 0.2 = 0.34.
  const std::int64_t code = StampOf(pint, &port, NanoSeconds(102'500), 40'000, 1000);
  EXPECT_NEAR(port.utilisation, 0.34, 1e-12);
  EXPECT_EQ(code, pint.Encode(0.34));
  // dt = 5 us, empty queue, 1000 B before: 0.01 + 0.5 * 0.34 = 0.18.
  StampOf(pint, &port, NanoSeconds(107'500), 0, 1000);
  EXPECT_NEAR(port.utilisation, 0.18, 1e-12);
}

TEST(Pint, APacketKeepsTheFullestPortsCode) {
  const Pint pint = MakeAlgorithm<Pint>({});
  const PortReading full{MicroSeconds(100), kRate, 0, 50'000, 9000, kRtt};
  Pint::PortState port;
  std::int64_t stamp = pint.Encode(0.1);
  pint.Stamp(full, &port, &stamp, nullptr);
  EXPECT_EQ(stamp, pint.Encode(0.5));
  port = {};
  stamp = pint.Encode(0.9);
  pint.Stamp(full, &port, &stamp, nullptr);
  EXPECT_EQ(stamp, pint.Encode(0.9));
}

TEST(Pint, SteadyLoadIsItsShareOfTheRate) {
  // s bytes every dt: the fixed point of U = s / (B T) + (1 - dt / T) U is s / (B dt), plus q / (B
  // T) for a queue.
  const Pint pint = MakeAlgorithm<Pint>({});
  for (const auto& [dt_ns, queued, expected] :
       {std::tuple{900, 0, 1.0}, std::tuple{1800, 0, 0.5}, std::tuple{900, 50'000, 1.5},
        std::tuple{9000, 0, 0.1}}) {
    Pint::PortState port;
    std::uint16_t code = 0;
    for (int i = 0; i < 1000; ++i)
      code = static_cast<std::uint16_t>(StampOf(pint, &port, NanoSeconds(dt_ns * i), queued, 9000));
    EXPECT_NEAR(port.utilisation, expected, 1e-9);
    EXPECT_NEAR(std::log(pint.Decode(code) / expected), 0, 0.5 * std::log(1.05) + 1e-9);
  }
}

TEST(Pint, SenderSteps) {
  PintSender sender;
  const std::uint16_t heavy = sender.control.Encode(2.0);
  const double u = sender.control.Decode(heavy);
  sender.Code(1000, 9000, heavy);  // the first is only the start of a round trip
  EXPECT_EQ(sender.rate(), 100'000'000'000);
  sender.Code(2000, 18000, heavy);  // fast: R = 100 * 0.95 / U + 0.05, R_c stays
  const double expected = 100e9 * 0.95 / u + 0.05e9;
  EXPECT_NEAR(static_cast<double>(sender.rate()), expected, 2);
  sender.Code(3000, 20000, heavy);
  EXPECT_NEAR(static_cast<double>(sender.rate()), expected, 2);
  sender.Code(9001, 30000, heavy);  // full: the same from R_c, which it replaces
  EXPECT_NEAR(static_cast<double>(sender.rate()), expected, 2);
  sender.Code(30001, 40000, heavy);
  EXPECT_NEAR(static_cast<double>(sender.rate()), expected * 0.95 / u + 0.05e9, 4);
}

TEST(Pint, HpccsKnobsApply) {
  PintSender calm(Settings{{"FAST_REACT", "0"}});
  const std::uint16_t heavy = calm.control.Encode(2.0);
  calm.Code(1000, 9000, heavy);
  calm.Code(2000, 18000, heavy);
  EXPECT_EQ(calm.rate(), 100'000'000'000);
  PintSender patient(Settings{{"MI_THRESH", "5"}, {"RATE_AI", "1Gbps"}, {"U_TARGET", "0.5"}});
  patient.Code(1, 2, heavy);
  patient.Code(3, 4, heavy);
  const std::int64_t cut = patient.rate();
  EXPECT_NEAR(static_cast<double>(cut), 100e9 * 0.5 / patient.control.Decode(heavy) + 1e9, 2);
  patient.Code(5, 6, patient.control.Encode(0.1));
  EXPECT_EQ(patient.rate(), cut + 1'000'000'000);
}

TEST(Pint, PathsWithoutStampsStayAtLineRate) {
  PintSender sender;
  for (int i = 1; i < 9; ++i) sender.Code(i * 10, i * 10 + 5, 0);
  EXPECT_EQ(sender.rate(), 100'000'000'000);
  EXPECT_EQ(sender.state.last_update, 0);
}

/// Which of 4000 ACKs a flow uses: a used one, always full and below target, adds one step.
std::vector<bool> Used(const Pint& pint, std::uint64_t seed, FlowId flow) {
  Pace pace = PaceOf();
  Pint::State state;
  pint.Start(&state, &pace, seed, flow);
  std::vector<bool> used;
  for (std::int64_t i = 1; i <= 4000; ++i) {
    const auto before = state.last_update;
    AckSignals signals;
    signals.acknowledged = 2 * i;
    signals.next = 2 * i + 1;
    signals.stamp = pint.Encode(0.1);
    pint.OnAck(&state, &pace, signals);
    used.push_back(state.last_update != before);
  }
  return used;
}

TEST(Pint, SamplingIsAShareKeyedByFlowAndSeed) {
  const Pint quarter = MakeAlgorithm<Pint>(Congestion({{"PINT_PROB", "0.25"}}));
  const auto used = Used(quarter, 7, AnyFlow(1));
  // Binomial: 1000 expected, standard deviation 27; five of them.
  EXPECT_NEAR(static_cast<double>(std::count(used.begin(), used.end(), true)), 1000, 137);
  EXPECT_EQ(used, Used(quarter, 7, AnyFlow(1)));
  EXPECT_NE(used, Used(quarter, 8, AnyFlow(1)));
  EXPECT_NE(used, Used(quarter, 7, AnyFlow(2)));
  const auto all = Used(MakeAlgorithm<Pint>({}), 7, AnyFlow(1));
  EXPECT_EQ(std::count(all.begin(), all.end(), true), 4000);
}

TEST(Pint, OptionsAreChecked) {
  EXPECT_NE(CongestionError("PINT_LOG_BASE", "1").find("pint.log_base (PINT_LOG_BASE)"),
            std::string::npos);
  EXPECT_NE(CongestionError("PINT_PROB", "0").find("pint.probability (PINT_PROB)"),
            std::string::npos);
  EXPECT_NE(CongestionError("PINT_PROB", "1.1"), "");
}

}  // namespace
}  // namespace heddle::testing
