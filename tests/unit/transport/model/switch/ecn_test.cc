// SPDX-License-Identifier: GPL-2.0-only
/// ECN marking: the rule at its limits, its probability against the binomial bound, and the texts
/// of the three maps.
#include "transport/model/switch/ecn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/options/options.h"

namespace heddle {
namespace {

constexpr EcnTable::Thresholds kMarks100G{400'000, 1'600'000, 0.2};

RandomStream Stream(std::uint64_t entity = 0) { return {7, entity, RandomPurpose::kPartition}; }

/// Whether no number was drawn from the stream.
bool Untouched(RandomStream stream) { return stream.Next() == Stream().Next(); }

std::string ErrorOf(const std::string& key, const std::string& value) {
  EcnOptions options;
  OptionSet set;
  options.Declare(&set);
  try {
    set.Set(key, value);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string TextOf(const std::string& key, const std::string& value) {
  EcnOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set(key, value);
  for (const Option& option : set.options()) {
    if (option.key == key || option.simai_key == key) return option.get();
  }
  return "no such option";
}

std::string RefusalOf(const EcnOptions& options, BitRate rate) {
  try {
    EcnTable(options).For(rate, "switch 12 port 3");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(EcnMarks, CornersDrawNoNumber) {
  RandomStream stream = Stream();
  EXPECT_FALSE(EcnMarks(kMarks100G, 0, &stream));
  EXPECT_FALSE(EcnMarks(kMarks100G, 400'000, &stream));  // kmin itself: not more than kmin
  EXPECT_TRUE(EcnMarks(kMarks100G, 1'600'001, &stream));
  EXPECT_TRUE(Untouched(stream));
  EcnMarks(kMarks100G, 400'001, &stream);
  EXPECT_FALSE(Untouched(stream));
  stream = Stream();
  EcnMarks(kMarks100G, 1'600'000, &stream);  // kmax itself: not more than kmax
  EXPECT_FALSE(Untouched(stream));
}

TEST(EcnMarks, EqualThresholdsAreAStep) {
  RandomStream stream = Stream();
  const EcnTable::Thresholds step{5000, 5000, 0.3};
  EXPECT_FALSE(EcnMarks(step, 5000, &stream));
  EXPECT_TRUE(EcnMarks(step, 5001, &stream));
  EXPECT_TRUE(Untouched(stream));
}

TEST(EcnMarks, ProbabilityIsLinearBetweenTheThresholds) {
  constexpr int kDraws = 200'000;
  struct Point {
    std::int64_t queued;
    double probability;  // pmax (q - kmin) / (kmax - kmin)
  };
  // 0.2 x 300/1200 = 0.05; 0.2 x 600/1200 = 0.1; 0.2 x 1200/1200 = 0.2.
  for (const Point& point : {Point{700'000, 0.05}, Point{1'000'000, 0.1}, Point{1'600'000, 0.2}}) {
    RandomStream stream = Stream(static_cast<std::uint64_t>(point.queued));
    int marked = 0;
    for (int i = 0; i < kDraws; ++i) marked += EcnMarks(kMarks100G, point.queued, &stream) ? 1 : 0;
    const double p = point.probability;
    const double five_sigma = 5 * std::sqrt(kDraws * p * (1 - p));
    EXPECT_NEAR(marked, kDraws * p, five_sigma) << point.queued << " bytes queued";
  }
}

TEST(EcnMarks, PmaxZeroNeverMarksAndOneAlmostAlwaysAtKmax) {
  RandomStream stream = Stream();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(EcnMarks({10, 20, 0.0}, 20, &stream));
    ASSERT_TRUE(EcnMarks({10, 20, 1.0}, 20, &stream));  // Uniform() < 1
  }
}

TEST(EcnOptions, DefaultsAreThoseOfSimaiConf) {
  const EcnOptions options;
  EXPECT_TRUE(options.enabled);
  EXPECT_EQ(options.kmax.ToText(),
            "6 25000000000 400 50000000000 800 100000000000 1600 200000000000 1200 400000000000 "
            "3200 1600000000000 2400");
  const EcnTable table(options);
  const EcnTable::Thresholds at200 = table.For({200'000'000'000}, "switch 1 port 0");
  EXPECT_EQ(at200.kmin, 300'000);
  EXPECT_EQ(at200.kmax, 1'200'000);
  EXPECT_EQ(at200.pmax, 0.8);
  EXPECT_EQ(table.For({400'000'000'000}, "").kmax, 3'200'000);
  EXPECT_EQ(table.For({25'000'000'000}, "").kmin, 100'000);
  EXPECT_EQ(table.For({1'600'000'000'000}, "").pmax, 0.2);
}

TEST(EcnOptions, TextsAreCanonical) {
  EXPECT_EQ(TextOf("KMAX_MAP", " 2  400Gbps 3200.0\t100000000000 0.5 "),
            "2 100000000000 0.5 400000000000 3200");
  EXPECT_EQ(TextOf("ecn.pmax", "1 25Gb/s 1"), "1 25000000000 1");
  EXPECT_EQ(TextOf("KMIN_MAP", "0"), "0");
  EXPECT_EQ(TextOf("ENABLE_QCN", "0"), "false");
  const std::string text = EcnOptions().pmax.ToText();
  EXPECT_EQ(TextOf("PMAX_MAP", text), text);
}

TEST(EcnOptions, HalfAKilobyteIsFiveHundredBytes) {
  EcnOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set("KMIN_MAP", "1 150Gbps 0.5");
  set.Set("KMAX_MAP", "1 150Gbps 2");
  set.Set("PMAX_MAP", "1 150Gbps 0.25");
  const EcnTable::Thresholds at = EcnTable(options).For({150'000'000'000}, "");
  EXPECT_EQ(at.kmin, 500);
  EXPECT_EQ(at.kmax, 2000);
  EXPECT_EQ(at.pmax, 0.25);
}

TEST(EcnOptions, BadTextsAreRefusedWithTheReason) {
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "2 25Gbps 400"), "after the count 2, which are 4 words, not 2");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "1 25Gbps 400 50Gbps 800"), "which are 2 words, not 4");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "1 25Gbps"), "not 1");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", ""), "n rate value");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "-1"), "n rate value");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "six 25Gbps 400"), "n rate value");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "9223372036854775808 1 1"), "not 2");
  EXPECT_SAYS(ErrorOf("KMAX_MAP", "2 100Gbps 4 100000000000 5"), "100Gbps is there twice");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "1 25Gbps -4"), "from 0 to 10000000 KB, not '-4'");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "1 25Gbps nan"), "not 'nan'");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "1 25Gbps 4KB"), "not '4KB'");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "1 0 4"), "above zero");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "1 fast 4"), "not 'fast'");
  EXPECT_SAYS(ErrorOf("PMAX_MAP", "1 25Gbps 1.5"), "values from 0 to 1, not '1.5'");
  EXPECT_SAYS(ErrorOf("PMAX_MAP", "1 25Gbps 1.5"), "ecn.pmax (PMAX_MAP)");
}

TEST(EcnOptions, ARefusedTextLeavesTheOldOne) {
  EcnOptions options;
  OptionSet set;
  options.Declare(&set);
  EXPECT_THROW(set.Set("KMIN_MAP", "2 1Gbps 1 2Gbps x"), UserError);
  EXPECT_EQ(options.kmin.entries().size(), 6U);
}

TEST(EcnOptions, OneValueServesAllRates) {
  EXPECT_EQ(TextOf("ecn.kmin", "800KB"), "800KB");
  EXPECT_EQ(TextOf("ecn.kmin", "1MB"), "1000KB");
  EXPECT_EQ(TextOf("ecn.kmin", "512KiB"), "524.288KB");
  EXPECT_EQ(TextOf("ecn.pmax", "0.25"), "0.25");
  EXPECT_EQ(TextOf("ecn.pmax", "1.0"), "1.0");
  EXPECT_EQ(TextOf("ecn.pmax", TextOf("ecn.pmax", "1.0")), "1.0");
  EcnOptions options;
  OptionSet set;
  options.Declare(&set);
  set.Set("ecn.kmin", "800KB");
  set.Set("ecn.kmax", "3MB");
  set.Set("ecn.pmax", "0.5");
  for (const std::int64_t gbps : {7, 100, 400, 800}) {
    const EcnTable::Thresholds at = EcnTable(options).For({gbps * 1'000'000'000}, "");
    EXPECT_EQ(at.kmin, 800'000);
    EXPECT_EQ(at.kmax, 3'000'000);
    EXPECT_EQ(at.pmax, 0.5);
  }
  EXPECT_TRUE(EcnTable(options).DescribeScaled({{800'000'000'000}}).empty());
}

TEST(EcnOptions, ACountWithoutPairsIsToldWhatOneValueLooksLike) {
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "100"), "written 100KB");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "100"), "2 100Gbps 400 400Gbps 1600");
  EXPECT_SAYS(ErrorOf("PMAX_MAP", "1"), "written 1.0");
  EXPECT_SAYS(ErrorOf("PMAX_MAP", "1.5"), "values from 0 to 1, not '1.5'");
  EXPECT_SAYS(ErrorOf("PMAX_MAP", "nan"), "'nan' is neither");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "800GHz"), "'800GHz' is neither");
  EXPECT_SAYS(ErrorOf("KMIN_MAP", "100GB"), "from 0 to 10000000 KB, not '100GB'");
}

TEST(EcnTable, ARateThatIsNotInAMapTakesTheNearestScaled) {
  struct Row {
    std::int64_t gbps, kmin, kmax;
    double pmax;
  };
  // Nearest by ratio, the lower of two: 800 is twice 400 and half of 1600. 200 has another pmax.
  const Row rows[] = {{1, 4'000, 16'000, 0.2},           {10, 40'000, 160'000, 0.2},
                      {40, 160'000, 640'000, 0.2},       {150, 225'000, 900'000, 0.8},
                      {300, 600'000, 2'400'000, 0.2},    {320, 640'000, 2'560'000, 0.2},
                      {800, 1'600'000, 6'400'000, 0.2},  {801, 300'375, 1'201'500, 0.2},
                      {3200, 1'200'000, 4'800'000, 0.2}, {400, 800'000, 3'200'000, 0.2}};
  const EcnTable table{EcnOptions()};
  for (const Row& row : rows) {
    const EcnTable::Thresholds at = table.For({row.gbps * 1'000'000'000}, "");
    EXPECT_EQ(at.kmin, row.kmin) << row.gbps;
    EXPECT_EQ(at.kmax, row.kmax) << row.gbps;
    EXPECT_EQ(at.pmax, row.pmax) << row.gbps;
  }
}

TEST(EcnTable, ScaledThresholdsAreDescribed) {
  const EcnTable table{EcnOptions()};
  const std::vector<std::string> texts =
      table.DescribeScaled({{100'000'000'000}, {300'000'000'000}, {800'000'000'000}});
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0], "300Gbps: kmin 600 KB, kmax 2400 KB, pmax 0.2, scaled from 400Gbps");
  EXPECT_EQ(texts[1], "800Gbps: kmin 1600 KB, kmax 6400 KB, pmax 0.2, scaled from 400Gbps");
}

TEST(EcnTable, ScaledThresholdsHaveABound) {
  EcnOptions options;
  options.kmin = options.kmax = RateMap::Parse("1 1Mbps 10000000", 1e7, "KB");
  EXPECT_EQ(EcnTable(options).For({1'000'000'000'000'000}, "").kmax, 10'000'000'000);
}

TEST(EcnTable, AnEmptyMapIsRefusedWithKeyPlaceAndRemedy) {
  EcnOptions options;
  EXPECT_EQ(RefusalOf(options, {100'000'000'000}), "");
  options.pmax = RateMap::Parse("0", 1, "");
  const std::string pmax = RefusalOf(options, {100'000'000'000});
  for (const char* part :
       {"ecn.pmax (PMAX_MAP)", "100Gbps", "switch 12 port 3", "such as 0.2", "ENABLE_QCN 0"}) {
    EXPECT_SAYS(pmax, part);
  }
  options.kmax = RateMap::Parse("0", 1, "");
  EXPECT_SAYS(RefusalOf(options, {100'000'000'000}), "KMAX_MAP");
}

TEST(EcnTable, KminAboveKmaxIsRefusedNamingBoth) {
  EcnOptions options;
  options.kmin = RateMap::Parse("1 100Gbps 1601", 1e6, "KB");
  const std::string text = RefusalOf(options, {100'000'000'000});
  for (const char* part : {"ecn.kmin (KMIN_MAP) is 1601 KB", "ecn.kmax (KMAX_MAP) is 1600 KB",
                           "100Gbps", "switch 12 port 3"}) {
    EXPECT_SAYS(text, part);
  }
}

}  // namespace
}  // namespace heddle
