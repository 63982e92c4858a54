// SPDX-License-Identifier: GPL-2.0-only
/// What follows from a network's round trip, against the figures that uet-htsim prints for two of
/// its own (2 and 3 tiers, 400 Gb/s, 1 us a link), and by hand.
#include "transport/model/uec/uec_scale.h"

#include <gtest/gtest.h>

#include "tests/unit/transport/model/uec/uec_test_util.h"

namespace heddle::testing {
namespace {

UecScale Network(std::int64_t links, const Settings& settings = {}, double oversubscription = 1) {
  const UecOptions options = Uec(settings);
  const Time rtt = UecBaseRtt(options, MicroSeconds(links), links, Gbps(400));
  return {options, rtt, Gbps(400), oversubscription};
}

TEST(UecScale, TwoTiers) {
  const UecScale scale = Network(4);
  EXPECT_EQ(scale.base_rtt, PicoSeconds(8'337'120));  // 8 us + 4 (8 * 4150 + 8 * 64) / 400 ns
  EXPECT_EQ(scale.bdp, 416'856);
  EXPECT_EQ(scale.bdp_packets, 101);
  EXPECT_EQ(scale.queue_limit, 101 * 4150);
  EXPECT_EQ(scale.last_hop_limit, 101 * 4150);
  EXPECT_EQ(scale.trimmed_limit, 202 * 4150);
  EXPECT_EQ(scale.kmin, 87'150);
  EXPECT_EQ(scale.kmax, 336'150);
  EXPECT_EQ(scale.target_delay, PicoSeconds(6'252'840));
  EXPECT_EQ(scale.quick_adapt_delay, PicoSeconds(25'011'360));
  EXPECT_EQ(scale.max_window, 625'284);
  EXPECT_EQ(scale.initial_window, 625'284);
  EXPECT_EQ(scale.min_window, 4150);
  EXPECT_EQ(scale.adjust_bytes, 33'200);
  EXPECT_EQ(scale.min_rto, PicoSeconds(65'298'000));  // 15 us + 6 * 419,150 B
  EXPECT_DOUBLE_EQ(scale.a, 416'856.0 / 150'000);
  EXPECT_DOUBLE_EQ(scale.b, 6.25284 / 12);
  // Payload 4086. The window of a recorded run grew by eta in steps of 1703 bytes.
  EXPECT_NEAR(scale.eta, 1703.27, 0.01);
  EXPECT_NEAR(scale.fair_increase, 56'775.8, 0.1);
  EXPECT_NEAR(scale.fast_scale, 0.69476, 1e-5);
  EXPECT_NEAR(scale.alpha * 6'252'840, 4 * 4086 * 2.77904 * 0.52107, 1);
}

TEST(UecScale, ThreeTiers) {
  const UecScale scale = Network(6);
  EXPECT_EQ(scale.base_rtt, PicoSeconds(12'505'680));
  EXPECT_EQ(scale.bdp, 625'284);
  EXPECT_EQ(scale.bdp_packets, 151);
  EXPECT_EQ(scale.kmin, 31 * 4150);   // ceil(30.2)
  EXPECT_EQ(scale.kmax, 121 * 4150);  // ceil(120.8)
}

TEST(UecScale, WithoutTrimming) {
  const UecScale scale = Network(4, {{"uec.trimming", "false"}});
  EXPECT_EQ(scale.queue_limit, 505 * 4150);
  EXPECT_EQ(scale.target_delay, scale.base_rtt);
  EXPECT_EQ(scale.min_rto, PicoSeconds(15'000'000 + 6 * 505 * 83'000));
}

TEST(UecScale, SharesAreNotRoundedUpByErrorsOfProducts) {
  // As doubles 0.07 * 100, 0.55 * 100 and 1.1 * 100 are a little more than 7, 55 and 110.
  const UecOptions options = Uec({{"uec.mtu", "4000"},
                                  {"uec.kmin", "0.07"},
                                  {"uec.kmax", "0.55"},
                                  {"uec.queue_limit", "1.1"}});
  const UecScale scale(options, MicroSeconds(16), Gbps(200), 1);
  EXPECT_EQ(scale.bdp_packets, 100);
  EXPECT_EQ(scale.kmin, 7 * 4000);
  EXPECT_EQ(scale.kmax, 55 * 4000);
  EXPECT_EQ(scale.queue_limit, 110 * 4000);
}

TEST(UecScale, OptionsReplaceWhatIsDerived) {
  const UecScale scale = Network(4, {{"uec.queue_limit", "2"},
                                     {"uec.last_hop_limit", "1.5"},
                                     {"uec.kmin", "0.5"},
                                     {"uec.kmax", "1"},
                                     {"uec.target_delay", "3"},
                                     {"uec.min_rto", "100"},
                                     {"uec.max_window", "1"},
                                     {"uec.initial_window", "10"},
                                     {"uec.adjust_packets", "2"},
                                     {"uec.quick_adapt_delay", "2"}});
  EXPECT_EQ(scale.queue_limit, 202 * 4150);
  EXPECT_EQ(scale.last_hop_limit, 303 * 4150);
  EXPECT_EQ(scale.kmin, 51 * 4150);
  EXPECT_EQ(scale.kmax, 101 * 4150);
  EXPECT_EQ(scale.target_delay, MicroSeconds(3));
  EXPECT_EQ(scale.quick_adapt_delay, MicroSeconds(6));
  EXPECT_EQ(scale.min_rto, MicroSeconds(100));
  EXPECT_EQ(scale.max_window, 416'856);
  EXPECT_EQ(scale.initial_window, 41'500);
  EXPECT_EQ(scale.adjust_bytes, 8300);
  EXPECT_DOUBLE_EQ(scale.b, 0.25);
}

TEST(UecScale, UpperThresholdIsNotBelowTheLower) {
  const UecScale scale = Network(4, {{"uec.kmin", "0.8"}, {"uec.kmax", "0.2"}});
  EXPECT_EQ(scale.kmin, 81 * 4150);
  EXPECT_EQ(scale.kmax, 81 * 4150);
}

TEST(UecScale, ConstantsScaleWithTheirOptions) {
  const UecScale usual = Network(4);
  const UecScale other = Network(4, {{"uec.eta", "0.3"},
                                     {"uec.fair_increase", "15"},
                                     {"uec.proportional", "1"},
                                     {"uec.fast_scale", "1"}});
  EXPECT_DOUBLE_EQ(other.eta, 2 * usual.eta);
  EXPECT_DOUBLE_EQ(other.fair_increase, 3 * usual.fair_increase);
  EXPECT_DOUBLE_EQ(other.alpha, usual.alpha / 4);
  EXPECT_DOUBLE_EQ(other.fast_scale, 4 * usual.fast_scale);
}

TEST(UecScale, WindowIsBetweenOnePacketAndTheLargest) {
  EXPECT_EQ(Network(4, {{"uec.initial_window", "1000"}}).initial_window, 625'284);
  EXPECT_EQ(Network(4).MaxWindow(MicroSeconds(4)), 300'000);
  EXPECT_EQ(Network(4).MaxWindow(PicoSeconds(10)), 4150);
  const UecScale tiny(Uec(), PicoSeconds(1), Gbps(1), 1);
  EXPECT_EQ(tiny.bdp_packets, 1);
  EXPECT_EQ(tiny.queue_limit, 4150);
  EXPECT_EQ(tiny.max_window, 4150);
  EXPECT_GT(tiny.target_delay, Time{0});
}

TEST(UecScale, ReceiverCreditChangesLastHopAndCore) {
  const auto control = [](const Settings& settings, double oversubscription) {
    return Network(4, settings, oversubscription).oversubscription_control;
  };
  EXPECT_TRUE(Network(4).last_hop_ecn);
  EXPECT_FALSE(Network(4, {{"uec.congestion", "rccc"}}).last_hop_ecn);
  EXPECT_FALSE(Network(4, {{"uec.congestion", "both"}}).last_hop_ecn);
  EXPECT_FALSE(control({{"uec.congestion", "rccc"}}, 1));
  EXPECT_TRUE(control({{"uec.congestion", "rccc"}}, 2));
  EXPECT_FALSE(control({{"uec.congestion", "both"}}, 2));
  EXPECT_TRUE(control({{"uec.congestion", "both"}, {"uec.oversubscribed", "on"}}, 1));
  EXPECT_FALSE(control({{"uec.congestion", "rccc"}, {"uec.oversubscribed", "off"}}, 2));
  EXPECT_FALSE(control({{"uec.oversubscribed", "on"}}, 2));
  EXPECT_DOUBLE_EQ(Network(4, {}, 2).least_credit_rate, 0.45);
}

TEST(UecScale, RefusesWhatItCannotCount) {
  EXPECT_THROW(UecScale(Uec({{"uec.queue_limit", "1000"}}), MicroSeconds(900'000), Gbps(800), 1),
               UserError);
}

TEST(UecOptions, ChoicesOfControl) {
  const auto of = [](const char* name) { return Uec({{"uec.congestion", name}}); };
  EXPECT_TRUE(of("nscc").uses_window() && of("nscc").adapts_window() && !of("nscc").uses_credit());
  EXPECT_TRUE(!of("rccc").uses_window() && !of("rccc").adapts_window() && of("rccc").uses_credit());
  EXPECT_TRUE(of("both").uses_window() && of("both").adapts_window() && of("both").uses_credit());
  EXPECT_TRUE(of("none").uses_window() && !of("none").adapts_window() && !of("none").uses_credit());
  EXPECT_FALSE(Uec().in_order());
  EXPECT_TRUE(Uec({{"uec.mode", "rod"}}).in_order());
  EXPECT_EQ(Uec().payload(), 4086);
}

TEST(UecOptions, RefusesValuesThatNoNetworkHas) {
  for (const auto& [key, value] : Settings{{"uec.congestion", "dctcp"},
                                           {"uec.mode", "rudi"},
                                           {"uec.mtu", "1023"},
                                           {"uec.header", "513"},
                                           {"uec.trimmed", "2000"},
                                           {"uec.max_window", "0"},
                                           {"uec.max_decrease", "1.1"},
                                           {"uec.delay_gain", "0"},
                                           {"uec.pull", "255"},
                                           {"uec.pull_rate", "1.01"},
                                           {"uec.ack_threshold", "0"},
                                           {"uec.quick_adapt_gate", "31"},
                                           {"uec.oversubscribed", "yes"}}) {
    EXPECT_NE(UecError(key, value).find(key), std::string::npos) << key;
  }
  EXPECT_EQ(UecError("uec.min_rto", "auto"), "");
  EXPECT_EQ(UecError("uec.target_delay", "auto"), "");
}

}  // namespace
}  // namespace heddle::testing
