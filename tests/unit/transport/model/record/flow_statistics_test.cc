// SPDX-License-Identifier: GPL-2.0-only
/// Statistics of flows compared with all flows, sorted; in any order, divided in any way, saved
/// half-way.
#include "transport/model/record/flow_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <cmath>
#include <map>
#include <sstream>

#include "core/base/random.h"

namespace heddle {
namespace {

FlowRecord Finished(std::int64_t size, std::int64_t fct, std::int64_t ideal) {
  FlowRecord flow;
  flow.size = size;
  flow.completion = PicoSeconds(fct);
  flow.ideal = PicoSeconds(ideal);
  return flow;
}

/// Sizes from 1 byte to 1 GiB, times from 1 ps to about a day.
std::vector<FlowRecord> RandomFlows(int count) {
  RandomStream random(3, 0, RandomPurpose::kPermutation);
  const auto draw = [&](double most) {
    return static_cast<std::int64_t>(std::exp2(random.Uniform() * most));
  };
  std::vector<FlowRecord> flows;
  for (int i = 0; i < count; ++i) {
    const std::int64_t ideal = draw(56);
    const auto some = static_cast<std::int64_t>(random.Uniform() * static_cast<double>(ideal));
    flows.push_back(Finished(draw(30), some + draw(40), ideal));
  }
  return flows;
}

FlowStatistics Of(const std::vector<FlowRecord>& flows) {
  FlowStatistics statistics;
  for (const FlowRecord& flow : flows) statistics.Add(flow);
  return statistics;
}

std::string Text(const FlowStatistics& s) {
  std::ostringstream text;
  for (const auto& c : s.Sizes()) {
    text << c.power << ' ' << c.flows << ' ' << c.slowdowns << ' ' << c.fct_max << ' '
         << c.slowdown_max;
    for (const FlowStatistics::Sum sum : {c.bytes, c.fct_sum, c.slowdown_sum}) {
      text << ' ' << static_cast<std::uint64_t>(sum >> 64) << ':'
           << static_cast<std::uint64_t>(sum);
    }
    text << '\n';
  }
  for (const auto& bins : {s.Completions(), s.Slowdowns()}) {
    for (const auto& bin : bins) text << bin.power << ' ' << bin.bin << ' ' << bin.flows << '\n';
    text << "--\n";
  }
  return text.str();
}

TEST(LogBins, HoldTheirValuesAndAreNarrow) {
  std::uint32_t last = 0;
  for (std::uint64_t value = 0; value < 5000; ++value) {
    const std::uint32_t bin = LogBins::Of(value);
    EXPECT_TRUE(bin == last || bin == last + 1) << value;
    EXPECT_LE(LogBins::From(bin), static_cast<double>(value));
    EXPECT_GT(LogBins::From(bin + 1), static_cast<double>(value));
    last = bin;
  }
  for (int power = 7; power < 64; ++power) {
    for (const std::uint64_t value :
         {std::uint64_t{1} << power, (std::uint64_t{1} << power) * 3 / 2,
          (std::uint64_t{1} << power) - 1}) {
      const std::uint32_t bin = LogBins::Of(value);
      EXPECT_LE(LogBins::From(bin), static_cast<double>(value));
      EXPECT_LE(LogBins::From(bin + 1) - LogBins::From(bin), LogBins::From(bin) / 64);
      EXPECT_LT(bin, 1U << LogBins::kBits);
    }
  }
  EXPECT_EQ(LogBins::From(LogBins::Of(~std::uint64_t{0}) + 1), 0x1p64);
}

TEST(FlowStatistics, QuantilesAreThoseOfAllFlows) {
  const std::vector<FlowRecord> flows = RandomFlows(20000);
  const FlowStatistics statistics = Of(flows);
  std::vector<double> times;
  std::map<std::uint32_t, std::vector<double>> slowdowns;
  for (const FlowRecord& flow : flows) {
    times.push_back(static_cast<double>(flow.completion.ps));
    slowdowns[static_cast<std::uint32_t>(std::log2(static_cast<double>(flow.size)))].push_back(
        static_cast<double>(flow.completion.ps) / static_cast<double>(flow.ideal.ps));
  }
  // The bin that holds the k-th smallest, for every k.
  const auto check = [](std::vector<double> values, const std::vector<FlowStatistics::Bin>& bins,
                        double unit) {
    std::sort(values.begin(), values.end());
    std::size_t at = 0;
    for (const FlowStatistics::Bin& bin : bins) {
      for (std::uint64_t i = 0; i < bin.flows; ++i, ++at) {
        ASSERT_LT(at, values.size());
        EXPECT_GE(values[at] * (1 + 1e-12), LogBins::From(bin.bin) * unit);
        EXPECT_LT(values[at] * (1 - 1e-12), LogBins::From(bin.bin + 1) * unit);
      }
    }
    EXPECT_EQ(at, values.size());
  };
  check(times, statistics.Completions(), 1);
  std::map<std::uint32_t, std::vector<FlowStatistics::Bin>> bins;
  for (const FlowStatistics::Bin& bin : statistics.Slowdowns()) bins[bin.power].push_back(bin);
  EXPECT_EQ(bins.size(), slowdowns.size());
  EXPECT_GT(bins.size(), 20U);
  for (const auto& [power, values] : slowdowns) check(values, bins[power], 0x1p-20);
}

TEST(FlowStatistics, SumsAreThoseOfAllFlows) {
  const std::vector<FlowRecord> flows = RandomFlows(3000);
  std::map<std::uint32_t, FlowStatistics::SizeClass> expected;
  for (const FlowRecord& flow : flows) {
    std::uint32_t power = 0;
    while (flow.size >> (power + 1) > 0) ++power;
    FlowStatistics::SizeClass& sums = expected[power];
    const auto fct = static_cast<std::uint64_t>(flow.completion.ps);
    const auto slowdown = static_cast<std::uint64_t>((static_cast<FlowStatistics::Sum>(fct) << 20) /
                                                     static_cast<std::uint64_t>(flow.ideal.ps));
    ++sums.flows;
    sums.bytes += static_cast<std::uint64_t>(flow.size);
    sums.fct_sum += fct;
    sums.slowdown_sum += slowdown;
    sums.fct_max = std::max(sums.fct_max, fct);
    sums.slowdown_max = std::max(sums.slowdown_max, slowdown);
  }
  const FlowStatistics statistics = Of(flows);
  ASSERT_EQ(statistics.Sizes().size(), expected.size());
  for (const auto& found : statistics.Sizes()) {
    const FlowStatistics::SizeClass& sums = expected[found.power];
    EXPECT_EQ(found.flows, sums.flows);
    EXPECT_EQ(found.slowdowns, sums.flows);
    EXPECT_TRUE(found.bytes == sums.bytes && found.fct_sum == sums.fct_sum &&
                found.slowdown_sum == sums.slowdown_sum);
    EXPECT_EQ(found.fct_max, sums.fct_max);
    EXPECT_EQ(found.slowdown_max, sums.slowdown_max);
  }
}

TEST(FlowStatistics, PartsAddUpInAnyOrder) {
  const std::vector<FlowRecord> flows = RandomFlows(2000);
  const std::string whole = Text(Of(flows));
  RandomStream random(5, 0, RandomPurpose::kPermutation);
  for (std::uint64_t parts = 1; parts < 9; ++parts) {
    std::vector<FlowStatistics> some(parts);
    for (const FlowRecord& flow : flows) some[random.Below(parts)].Add(flow);
    FlowStatistics forwards, backwards;
    for (std::size_t i = 0; i < parts; ++i) {
      forwards.Merge(some[i]);
      backwards.Merge(some[parts - 1 - i]);
    }
    EXPECT_EQ(Text(forwards), whole);
    EXPECT_EQ(Text(backwards), whole);
  }
}

TEST(FlowStatistics, GoOnFromASavedState) {
  const std::vector<FlowRecord> flows = RandomFlows(600);
  for (std::ptrdiff_t half : {0, 1, 300, 600}) {
    std::stringstream text;
    const FlowStatistics first = Of({flows.begin(), flows.begin() + half});
    boost::archive::text_oarchive(text) << first;
    FlowStatistics second = Of({flows.begin(), flows.begin() + 50});  // overwritten
    boost::archive::text_iarchive(text) >> second;
    for (auto flow = flows.begin() + half; flow != flows.end(); ++flow) second.Add(*flow);
    EXPECT_EQ(Text(second), Text(Of(flows)));
  }
}

TEST(FlowStatistics, NothingOverflows) {
  // A billion flows of 1 TiB and 100 days, by merging.
  FlowStatistics statistics = Of({Finished(std::int64_t{1} << 40, 8'640'000'000'000'000'000, 1)});
  for (int i = 0; i < 30; ++i) statistics.Merge(FlowStatistics(statistics));
  ASSERT_EQ(statistics.Sizes().size(), 1U);
  const auto sums = statistics.Sizes()[0];
  EXPECT_EQ(sums.flows, 1ULL << 30);
  EXPECT_TRUE(sums.bytes == static_cast<FlowStatistics::Sum>(1) << 70);
  EXPECT_TRUE(sums.fct_sum == static_cast<FlowStatistics::Sum>(8'640'000'000'000'000'000) << 30);
  EXPECT_EQ(sums.slowdown_max, ~std::uint64_t{0});  // above the range of the bins
  EXPECT_EQ(statistics.Slowdowns()[0].flows, 1ULL << 30);
}

TEST(FlowStatistics, AFlowWithoutIdealTimeHasNoSlowdown) {
  const FlowStatistics statistics = Of({Finished(100, 5000, 0), Finished(100, 5000, 2500)});
  ASSERT_EQ(statistics.Sizes().size(), 1U);
  EXPECT_EQ(statistics.Sizes()[0].flows, 2U);
  EXPECT_EQ(statistics.Sizes()[0].slowdowns, 1U);
  EXPECT_EQ(statistics.Sizes()[0].slowdown_max, std::uint64_t{2} << FlowStatistics::kFraction);
  ASSERT_EQ(statistics.Slowdowns().size(), 1U);
  EXPECT_EQ(LogBins::From(statistics.Slowdowns()[0].bin), std::ldexp(2, FlowStatistics::kFraction));
}

}  // namespace
}  // namespace heddle
