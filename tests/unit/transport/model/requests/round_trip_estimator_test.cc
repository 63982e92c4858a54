// SPDX-License-Identifier: GPL-2.0-only
/// Samples and estimates by hand.
#include "transport/model/requests/round_trip_estimator.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

constexpr BitRate kRate{400'000'000'000};
constexpr Time kNanosecond = NanoSeconds(1);

TEST(Sample, WithoutThePayloadsTime) {
  // 128 KiB at 400 Gbps: 131072 x 8 / 400 = 2621.44 ns.
  EXPECT_EQ(SampleOf(NanoSeconds(10'000), 131'072, kRate, Time{0}, kNanosecond),
            PicoSeconds(7'378'560));
  EXPECT_EQ(SampleOf(NanoSeconds(10'000), 131'072, kRate, MicroSeconds(5), MicroSeconds(1)),
            PicoSeconds(2'378'560));
  // 4 MiB: 83886.08 ns, more bits times picoseconds than fit into 64 bits.
  EXPECT_EQ(SampleOf(MicroSeconds(100), 4'194'304, kRate, Time{0}, kNanosecond),
            PicoSeconds(16'113'920));
  // Whole picoseconds: 100 bytes at 3 bit/s take 266.67 s, cut off.
  EXPECT_EQ(SampleOf(MicroSeconds(267'000'000), 100, BitRate{3}, Time{0}, kNanosecond),
            PicoSeconds(333'333'333'334));
}

/// RCCL's unsigned difference would be 2^64 ns less a bit.
TEST(Sample, ShorterThanThePayloadsTimeIsTheFloor) {
  EXPECT_EQ(SampleOf(NanoSeconds(2621), 131'072, kRate, Time{0}, kNanosecond), kNanosecond);
  EXPECT_EQ(SampleOf(Time{0}, std::int64_t{1} << 60, BitRate{1}, Time{0}, kNanosecond),
            kNanosecond);
  EXPECT_EQ(SampleOf(NanoSeconds(8000), 131'072, kRate, MicroSeconds(5), MicroSeconds(1)),
            MicroSeconds(1));
}

/// Estimates after each of these samples [us].
std::vector<double> Trace(double gain, const std::vector<std::int64_t>& samples) {
  RoundTripEstimator estimator;
  std::vector<double> estimates;
  for (const std::int64_t us : samples) {
    estimator.Add(MicroSeconds(us), gain);
    estimates.push_back(estimator.estimate_ps * 1e-6);
  }
  return estimates;
}

void ExpectTrace(double gain, const std::vector<double>& estimates) {
  const std::vector<double> trace = Trace(gain, {8, 16, 4, 12});
  ASSERT_EQ(trace.size(), estimates.size());
  for (std::size_t i = 0; i < trace.size(); ++i) EXPECT_NEAR(trace[i], estimates[i], 1e-9) << i;
}

TEST(Estimator, Average) { ExpectTrace(0, {8, 12, 28.0 / 3, 10}); }

TEST(Estimator, Weighted) { ExpectTrace(0.25, {8, 10, 8.5, 9.375}); }

TEST(Estimator, Tcp) {
  // 8 + 8/8 = 9; 9 - 5/8 = 8.375; 8.375 + 3.625/8 = 8.828125.
  ExpectTrace(0.125, {8, 9, 8.375, 8.828125});
}

TEST(Estimator, AWeightOfOneIsTheLastSample) { ExpectTrace(1, {8, 16, 4, 12}); }

TEST(Estimator, KeepsTheSmallestSample) {
  RoundTripEstimator estimator;
  EXPECT_EQ(estimator.minimum_ps, 0);
  std::vector<double> minima;
  for (const std::int64_t us : {8, 16, 4, 12}) {
    estimator.Add(MicroSeconds(us), 0.5);
    minima.push_back(estimator.minimum_ps * 1e-6);
  }
  EXPECT_EQ(minima, (std::vector<double>{8, 8, 4, 4}));
}

TEST(Estimator, AResetForgetsTheSumOnly) {
  for (const double gain : {0.0, 0.25}) {
    RoundTripEstimator estimator;
    estimator.Add(MicroSeconds(8), gain);
    estimator.Add(MicroSeconds(16), gain);
    const double estimate = estimator.estimate_ps;
    estimator.Reset();
    EXPECT_EQ(estimator.estimate_ps, estimate);
    EXPECT_EQ(estimator.minimum_ps, 8e6);
    estimator.Add(MicroSeconds(40), gain);  // counts as a first sample
    EXPECT_EQ(estimator.estimate_ps, 40e6);
    EXPECT_EQ(estimator.minimum_ps, 8e6);
    estimator.Add(MicroSeconds(20), gain);
    EXPECT_EQ(estimator.estimate_ps, gain == 0 ? 30e6 : 35e6);
  }
}

}  // namespace
}  // namespace heddle
