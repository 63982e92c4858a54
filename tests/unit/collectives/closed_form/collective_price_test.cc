// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/collective_price.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr double kGb = 1e9;
constexpr GpuRates kHopper{360 * kGb, 48.5 * kGb, 475 * kGb};
constexpr GpuRates kAmpere{240 * kGb, 23.5 * kGb, 0};
constexpr GroupSpread kEight{8, 1, 8, 8};
constexpr GroupSpread kSixteen{16, 2, 8, 8};
constexpr std::int64_t kManyBytes = 1'000'000'000'000;

PriceRules RulesFor(const GpuRates& rates) {
  PriceRules rules;
  rules.rates = rates;
  return rules;
}

double RateOf(Algorithm algorithm, const GroupSpread& spread, const GpuRates& rates = kHopper) {
  return BusBandwidthOf(algorithm, spread, rates).rate / kGb;
}

TEST(CollectivePrice, RatesOfRings) {
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, kEight), 360);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, {4, 4, 1, 1}), 48.5);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, {8, 2, 4, 4}), 194);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, kSixteen), 388);  // above 360, below 360 x 8 / 7
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, kSixteen, {100 * kGb, 48.5 * kGb, 0}), 800.0 / 7);
}

TEST(CollectivePrice, HalfANicForEachGpuIsHalfItsRate) {
  // Four NICs for eight GPUs, TP 8: SimAI has none.
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kRing, {16, 16, 1, 1}, {360 * kGb, 24.25 * kGb, 0}), 24.25);
}

TEST(CollectivePrice, RatesOfTrees) {
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kTree, kEight), 315);  // 360 x 7 / 8
  // Two servers: twice 388 above 360 x 8 / 7; 15 / 16 of it.
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kTree, kSixteen), 360.0 * 8 / 7 * 15 / 16);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kTree, {3, 3, 1, 1}), 48.5 * 4 / 3 * 2 / 3);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kTree, {4, 4, 1, 1}), 48.5 * 3 / 4);
}

TEST(CollectivePrice, RatesOfNvls) {
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kNvls, kEight), 475);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kNvls, kSixteen), 0);  // NVLS-Tree's
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kNvlsTree, {32, 4, 8, 8}), 388.0 * 31 / 32);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kNvls, {4, 1, 4, 4}), 0);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kNvls, kEight, kAmpere), 0);
}

TEST(CollectivePrice, RatesOfDirectMessages) {
  // Case a51 of SimAI's runs: 48.5 x 15 / 12.
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kDirect, {16, 4, 4, 4}), 60.625);
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kDirect, kEight), 360);
  // Slow NVLinks: 10 x 15 / 7, below 48.5 x 15 / 8.
  EXPECT_DOUBLE_EQ(RateOf(Algorithm::kDirect, kSixteen, {10 * kGb, 48.5 * kGb, 0}), 150.0 / 7);
}

TEST(CollectivePrice, IsLatencyAndBytesOverBandwidth) {
  const CollectivePrice price =
      PriceOf(Operation::kAllGather, 1'000'000'000, kEight, RulesFor(kAmpere));
  EXPECT_EQ(price.protocol, Protocol::kSimple);
  // 8.4 + 7 x 3.4 us, and 7/8 GB at 240 GB/s.
  EXPECT_NEAR(price.seconds, 32.2e-6 + 0.875 / 240, 1e-12);
  EXPECT_NEAR(price.bus_bandwidth, 0.875e9 / price.seconds, 1);
}

TEST(CollectivePrice, ChoosesProtocolsBySize) {
  const auto protocol = [](std::int64_t bytes) {
    return PriceOf(Operation::kAllReduce, bytes, kEight, RulesFor(kAmpere)).protocol;
  };
  EXPECT_EQ(protocol(1024), Protocol::kLl);
  EXPECT_EQ(protocol(16 << 20), Protocol::kLl128);
  EXPECT_EQ(protocol(1 << 30), Protocol::kSimple);
}

TEST(CollectivePrice, ChoosesAlgorithms) {
  const auto algorithm = [](std::int64_t bytes, const GroupSpread& spread, const GpuRates& rates) {
    return PriceOf(Operation::kAllReduce, bytes, spread, RulesFor(rates)).algorithm;
  };
  EXPECT_EQ(algorithm(kManyBytes, kEight, kHopper), Algorithm::kNvls);
  EXPECT_EQ(algorithm(kManyBytes, kEight, kAmpere), Algorithm::kRing);
  EXPECT_EQ(algorithm(4096, {256, 32, 8, 8}, kAmpere), Algorithm::kTree);
  EXPECT_EQ(algorithm(kManyBytes, {256, 32, 8, 8}, kAmpere), Algorithm::kRing);
  EXPECT_EQ(algorithm(kManyBytes, kSixteen, kHopper), Algorithm::kNvlsTree);
}

TEST(CollectivePrice, AnAlgorithmMayBeNamed) {
  PriceRules rules = RulesFor(kHopper);
  for (const Algorithm algorithm : {Algorithm::kRing, Algorithm::kTree}) {
    rules.algorithm = algorithm;
    EXPECT_EQ(PriceOf(Operation::kAllReduce, kManyBytes, kEight, rules).algorithm, algorithm);
  }
  rules.algorithm = Algorithm::kNvls;
  EXPECT_EQ(PriceOf(Operation::kAllReduce, 4096, kSixteen, rules).algorithm, Algorithm::kNvlsTree);
  EXPECT_EQ(PriceOf(Operation::kAllGather, 4096, kSixteen, rules).algorithm, Algorithm::kRing);
}

TEST(CollectivePrice, IsContinuousWhereSimaiJumps) {
  for (const std::int64_t bytes : {2, 4096, 1 << 20, 1 << 24, 1 << 26}) {
    for (const bool calibrated : {false, true}) {
      PriceRules rules = RulesFor(kHopper);
      rules.calibrated = calibrated;
      const double below = PriceOf(Operation::kAllReduce, bytes - 1, kEight, rules).seconds;
      const double at = PriceOf(Operation::kAllReduce, bytes, kEight, rules).seconds;
      EXPECT_NEAR(at / below, 1, 1e-3) << bytes;
      EXPECT_GE(at, below) << bytes;
    }
  }
}

TEST(CollectivePrice, AGivenBandwidthReplacesTheComputedOne) {
  PriceRules rules = RulesFor(kHopper);
  rules.given = 100 * kGb;
  const CollectivePrice price = PriceOf(Operation::kAllReduce, kManyBytes, kEight, rules);
  EXPECT_EQ(price.bottleneck, Bottleneck::kGiven);
  EXPECT_NEAR(price.seconds, 1.75e12 / 100e9, 1e-3);
}

TEST(CollectivePrice, CalibratedTimes) {
  PriceRules rules = RulesFor(kAmpere);
  rules.calibrated = true;
  // 64 MiB of nvlink_ratio.csv, one node: 0.65 / 0.81 of 240 GB/s.
  EXPECT_NEAR(PriceOf(Operation::kAllGather, 1 << 26, kEight, rules).seconds,
              0.875 * (1 << 26) / (240e9 * 0.65 / 0.81), 1e-9);
  EXPECT_DOUBLE_EQ(PriceOf(Operation::kAllGather, 4096, kEight, rules).seconds, 15e-6);
}

TEST(CollectivePrice, NothingToDoTakesNoTime) {
  EXPECT_EQ(PriceOf(Operation::kAllReduce, 1024, {}, RulesFor(kHopper)).seconds, 0);
  EXPECT_EQ(PriceOf(Operation::kAllReduce, 0, kEight, RulesFor(kHopper)).seconds, 0);
  EXPECT_EQ(PriceOf(Operation::kNone, 1024, kEight, RulesFor(kHopper)).seconds, 0);
}

TEST(CollectivePrice, OtherOperationsHavePricesToo) {
  // One message of 1 GB by NVLink: 8.4 + 3.4 us.
  EXPECT_NEAR(PriceOf(Operation::kSendRecv, 1'000'000'000, {2, 1, 2, 2}, RulesFor(kAmpere)).seconds,
              11.8e-6 + 1.0 / 240, 1e-12);
  // A chain of seven: 8.4 + 7 x 3.4 us.
  EXPECT_NEAR(PriceOf(Operation::kBroadcast, 1'000'000'000, kEight, RulesFor(kAmpere)).seconds,
              32.2e-6 + 1.0 / 240, 1e-12);
}

}  // namespace
}  // namespace heddle
