// SPDX-License-Identifier: GPL-2.0-only
#include "core/patterns/traffic_patterns.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "tests/support/traffic_options.h"

namespace heddle {
namespace {

/// "time in ns,source,destination,size" of each flow.
std::vector<std::string> Rows(const TrafficOptions& options) {
  std::vector<std::string> rows;
  for (const FlowRequest& flow : GenerateTraffic(options)) {
    const std::int64_t whole = flow.start.ps / 1000, rest = flow.start.ps % 1000;
    rows.push_back(fmt::format("{}{},{},{},{}", whole, rest == 0 ? "" : fmt::format(".{:03}", rest),
                               flow.source.value, flow.destination.value, flow.size.count));
  }
  return rows;
}

std::vector<std::int64_t> Times(const TrafficOptions& options) {
  std::vector<std::int64_t> times;
  for (const FlowRequest& flow : GenerateTraffic(options)) times.push_back(flow.start.ps / 1000);
  return times;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Ends(const TrafficOptions& options) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  for (const FlowRequest& flow : GenerateTraffic(options)) {
    ends.emplace_back(flow.source.value, flow.destination.value);
  }
  return ends;
}

const std::array<ArrivalPattern, 4> kDrawn = {ArrivalPattern::kConstant, ArrivalPattern::kPoisson,
                                              ArrivalPattern::kBurst, ArrivalPattern::kHotspot};

TEST(TrafficPatterns, ServerPairIsEachGpuToItsCounterpart) {
  std::vector<std::string> expected;
  for (int gpu = 0; gpu < 8; ++gpu) {
    expected.push_back("0," + std::to_string(gpu) + "," + std::to_string(gpu + 8) + ",10485760");
  }
  EXPECT_EQ(Rows(OptionsOf(ArrivalPattern::kServerPair, 0)), expected);
}

TEST(TrafficPatterns, ServerPairRepeatsInRounds) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kServerPair, 0);
  options.gpus = 6;
  options.gpus_per_server = 2;
  options.source_server = 2;
  options.destination_server = 0;
  options.rounds = 3;
  options.interval_ns = 2.5;
  options.size = {7};
  EXPECT_EQ(Rows(options), (std::vector<std::string>{"0,4,0,7", "0,5,1,7", "3,4,0,7", "3,5,1,7",
                                                     "5,4,0,7", "5,5,1,7"}));
  options.interval_ns = 0;
  EXPECT_EQ(Times(options), (std::vector<std::int64_t>(6, 0)));
}

TEST(TrafficPatterns, OneToOneIsStaggered) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kOneToOne, 3);
  options.source_gpu = 5;
  options.destination_gpu = 4;  // the pair may be in one server
  options.interval_ns = 50;
  options.size = {9};
  EXPECT_EQ(Rows(options), (std::vector<std::string>{"0,5,4,9", "50,5,4,9", "100,5,4,9"}));
}

TEST(TrafficPatterns, ConstantDoesNotDrift) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kConstant, 7);
  options.interval_ns = 1e9 / 3;
  EXPECT_EQ(Times(options), (std::vector<std::int64_t>{0, 333333333, 666666667, 1000000000,
                                                       1333333333, 1666666667, 2000000000}));
  options.flows = 3'000'001;
  options.interval_ns = 1e9 / 3000;
  EXPECT_EQ(Times(options).back(), 1'000'000'000'000);
}

TEST(TrafficPatterns, BurstsStartTogether) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kBurst, 8);
  options.burst_size = 3;
  options.interval_ns = 1000;
  EXPECT_EQ(Times(options), (std::vector<std::int64_t>{0, 0, 0, 1000, 1000, 1000, 2000, 2000}));
  options.flows.reset();
  options.duration = NanoSeconds(2000);  // a flow exactly at the end is omitted
  EXPECT_EQ(Times(options), (std::vector<std::int64_t>{0, 0, 0, 1000, 1000, 1000}));
}

TEST(TrafficPatterns, DurationAndCountEndTheSameTrace) {
  for (const ArrivalPattern pattern : kDrawn) {
    TrafficOptions options = OptionsOf(pattern, 50);
    const auto counted = Rows(options);
    options.duration = GenerateTraffic(options).back().start + PicoSeconds(1);
    options.flows.reset();
    const auto timed = Rows(options);
    // Several flows at the last instant.
    ASSERT_GE(timed.size(), counted.size()) << ToText(pattern);
    EXPECT_TRUE(std::equal(counted.begin(), counted.end(), timed.begin())) << ToText(pattern);
  }
}

/// The gaps have mean and standard deviation equal to the interval.
TEST(TrafficPatterns, PoissonMeanWithinThreeSigma) {
  constexpr std::int64_t kFlows = 200'000;
  for (const ArrivalPattern pattern : {ArrivalPattern::kPoisson, ArrivalPattern::kHotspot}) {
    TrafficOptions options = OptionsOf(pattern, kFlows);
    options.interval_ns = 1000;
    const auto times = Times(options);
    const double mean = static_cast<double>(times.back()) / kFlows;
    EXPECT_NEAR(mean, 1000, 3 * 1000 / std::sqrt(kFlows)) << ToText(pattern);
    double squares = static_cast<double>(times[0]) * static_cast<double>(times[0]);
    for (std::size_t i = 1; i < times.size(); ++i) {
      const auto gap = static_cast<double>(times[i] - times[i - 1]);
      squares += gap * gap;
    }
    // The square of a gap has mean 2 and standard deviation sqrt(20) squared intervals.
    EXPECT_NEAR(squares / kFlows / 1e6, 2, 3 * std::sqrt(20.0 / kFlows)) << ToText(pattern);
  }
}

/// Rounding to nanoseconds must not change a rate near one flow a nanosecond.
TEST(TrafficPatterns, PoissonKeepsItsRateAtOneNanosecond) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kPoisson, 400'000);
  options.interval_ns = 1;
  EXPECT_NEAR(static_cast<double>(Times(options).back()), 400'000, 3 * std::sqrt(400'000.0));
}

TEST(TrafficPatterns, HotspotShareWithinThreeSigma) {
  constexpr std::int64_t kFlows = 100'000;
  TrafficOptions options = OptionsOf(ArrivalPattern::kHotspot, kFlows);
  options.source_server = 3;
  options.destination_server = 7;
  for (const double fraction : {0.0, 0.2, 0.75, 1.0}) {
    options.hotspot_fraction = fraction;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> servers;
    std::set<std::uint32_t> sources;
    for (const auto& [source, destination] : Ends(options)) {
      ++servers[{source / 8, destination / 8}];
      if (source / 8 == 3) sources.insert(source);
    }
    // The other flows may use the pair too.
    const double share = fraction + (1 - fraction) / (16 * 15);
    const double sigma = std::sqrt(share * (1 - share) * kFlows);
    EXPECT_NEAR((servers[{3, 7}]), share * kFlows, 3 * sigma) << fraction;
    EXPECT_EQ(servers.size(), fraction == 1 ? 1U : 240U) << fraction;
    EXPECT_EQ(sources.size(), 8U) << fraction;
  }
}

/// Chi square over the pairs of servers: 239 degrees of freedom, standard deviation 21.9.
TEST(TrafficPatterns, DrawnEndsAreUniformAndLeaveTheirServer) {
  constexpr int kFlows = 240'000;
  for (const ArrivalPattern pattern :
       {ArrivalPattern::kConstant, ArrivalPattern::kPoisson, ArrivalPattern::kBurst}) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> servers;
    std::map<std::uint32_t, int> gpus;
    for (const auto& [source, destination] : Ends(OptionsOf(pattern, kFlows))) {
      ASSERT_NE(source / 8, destination / 8);
      ++servers[{source / 8, destination / 8}];
      ++gpus[source];
      ++gpus[destination];
    }
    ASSERT_EQ(servers.size(), 240U);
    ASSERT_EQ(gpus.size(), 128U);
    double chi = 0;
    for (const auto& [pair, count] : servers) chi += (count - 1000.0) * (count - 1000.0) / 1000.0;
    EXPECT_NEAR(chi, 239, 4 * 21.9) << ToText(pattern);
    for (const auto& [gpu, count] : gpus) {
      EXPECT_NEAR(count, kFlows / 64.0, 6 * std::sqrt(kFlows / 64.0)) << gpu;
    }
  }
}

TEST(TrafficPatterns, AServerMayHaveFewerGpus) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kPoisson, 2000);
  options.gpus = 5;
  options.gpus_per_server = 2;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& ends : Ends(options)) pairs.insert(ends);
  EXPECT_EQ(pairs.size(), 16U);  // 5 times 4 without the two pairs within servers 0 and 1, each way
  options = OptionsOf(ArrivalPattern::kServerPair, 0);
  options.gpus = 15;
  EXPECT_EQ(
      Refusal(options),
      "server 0 has 8 GPUs and server 1 has 7. Expected: as many, for each GPU a counterpart");
}

TEST(TrafficPatterns, PrefillSendsAndDecodeReceives) {
  for (const ArrivalPattern pattern : kDrawn) {
    TrafficOptions options = OptionsOf(pattern, 5000);
    options.gpus = 48;
    options.prefill_servers = {4, 0};
    options.decode_servers = {1, 5, 2};
    options.source_server = 0;
    options.destination_server = 5;
    std::set<std::uint32_t> sources, destinations;
    for (const auto& [source, destination] : Ends(options)) {
      sources.insert(source);
      destinations.insert(destination);
    }
    EXPECT_EQ(sources.size(), 16U) << ToText(pattern);
    EXPECT_EQ(destinations.size(), 24U) << ToText(pattern);
    for (const std::uint32_t gpu : sources) EXPECT_TRUE(gpu / 8 == 0 || gpu / 8 == 4) << gpu;
    for (const std::uint32_t gpu : destinations) {
      EXPECT_TRUE(gpu / 8 == 1 || gpu / 8 == 2 || gpu / 8 == 5) << gpu;
    }
  }
}

TEST(TrafficPatterns, TheSeedDecides) {
  for (const ArrivalPattern pattern : kDrawn) {
    TrafficOptions options = OptionsOf(pattern, 100);
    const auto first = Rows(options);
    EXPECT_EQ(Rows(options), first) << ToText(pattern);
    options.seed = 2;
    EXPECT_NE(Rows(options), first) << ToText(pattern);
  }
}

TEST(TrafficPatterns, ARateChangesTimesAndNotEnds) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kPoisson, 100);
  const auto ends = Ends(options);
  options.interval_ns = 3;
  EXPECT_EQ(Ends(options), ends);
  options.pattern = ArrivalPattern::kConstant;
  EXPECT_EQ(Ends(options), ends);
}

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t DigestOf(const std::string& text) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  for (const unsigned char c : text) digest = (digest ^ c) * 0x100000001b3ULL;
  return digest;
}

/// A model of the generator in Python, with logarithms of 40 digits, gave the same digests. If this
/// fails, old commands give new traces; do that only with a note to users.
TEST(TrafficPatterns, TracesOfOldSeedsStay) {
  TrafficOptions options = OptionsOf(ArrivalPattern::kPoisson, 100'000);
  options.interval_ns = 1e9 / 20'000;
  const auto rows = Rows(options);
  EXPECT_EQ(rows[0], "68614,2,110,10485760");
  EXPECT_EQ(rows[1], "126586,96,36,10485760");
  EXPECT_EQ(DigestOf(fmt::format("{}", fmt::join(rows, "\n"))), 11170613267818592951U);
  options = OptionsOf(ArrivalPattern::kHotspot, 100'000);
  EXPECT_EQ(DigestOf(fmt::format("{}", fmt::join(Rows(options), "\n"))), 11421911676552494851U);
}

}  // namespace
}  // namespace heddle
