// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/path_gain.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/message_of.h"

namespace heddle {
namespace {

/// A connection of queue pairs with these bytes, each over a path of its own.
ConnectionShares SharesOf(const std::vector<std::int64_t>& bytes, std::uint32_t queue_pairs) {
  ConnectionShares one;
  one.queue_pairs = queue_pairs;
  for (const std::int64_t sent : bytes) {
    const auto port = static_cast<std::uint16_t>(one.pairs.size());
    one.pairs.push_back({port, sent, {{NodeId(6), PortId(port)}}});
    one.bytes += sent;
  }
  return one;
}

ConnectionName NameOf(std::uint32_t destination) { return {0, destination, 0, 0, 3}; }

WeighedConnection WeightsOf(std::uint32_t connection, const std::vector<double>& weights) {
  WeighedConnection one;
  one.connection = connection;
  for (const double weight : weights) one.pairs.push_back({weight, 0, 0});
  return one;
}

// Shares 0.25 and 0.75, 0.5 and 0.5, 0.4 and 0.6: gains 0.5 / 0.25 - 1 = 1, 0, 0.5 / 0.4 - 1 =
// 0.25.
TEST(PathMeans, AreOverConnectionsAndTheGainIsTheMedian) {
  const PathMeans means =
      MeansOf({SharesOf({100, 300}, 2), SharesOf({50, 50}, 2), SharesOf({400, 600}, 2)});
  EXPECT_DOUBLE_EQ(means.paths, 2);
  EXPECT_DOUBLE_EQ(means.least_share, (0.25 + 0.5 + 0.4) / 3);
  EXPECT_DOUBLE_EQ(means.most_share, (0.75 + 0.5 + 0.6) / 3);
  EXPECT_NEAR(means.median_gain.value(), 0.25, 1e-12);
}

// Two of three connections have a queue pair that sent nothing: the median is infinite.
TEST(PathMeans, HaveNoMedianGainWhereMostConnectionsLeftAQueuePairOut) {
  const PathMeans means = MeansOf({SharesOf({100}, 2), SharesOf({50, 50}, 2), SharesOf({400}, 2)});
  EXPECT_FALSE(means.median_gain);
  EXPECT_DOUBLE_EQ(means.least_share, 0.5 / 3);
  EXPECT_DOUBLE_EQ(means.paths, 4.0 / 3);
}

// Gains 200/100 - 1 = 1, 150/100 - 1 = 0.5, 80/100 - 1 = -0.2; of ranks 0 to 2 the percentiles 10
// and 90 are ranks 0.2 and 1.8, rounded down.
TEST(PathGain, IsTheOtherTimeOverThisOne) {
  const ConnectionTimes here = {
      {NameOf(2), {100, 7}}, {NameOf(3), {100, 7}}, {NameOf(4), {100, 7}}};
  const ConnectionTimes there = {
      {NameOf(2), {200, 7}}, {NameOf(3), {150, 7}}, {NameOf(4), {80, 7}}};
  const PathGain gain = GainOver(here, "a.h5", there, "b.h5");
  EXPECT_EQ(gain.file, "b.h5");
  EXPECT_EQ(gain.connections, 3u);
  EXPECT_NEAR(gain.mean, 1.3 / 3, 1e-12);
  EXPECT_NEAR(gain.p10, -0.2, 1e-12);
  EXPECT_NEAR(gain.p90, 0.5, 1e-12);
  EXPECT_EQ(gain.slower, 1u);
}

TEST(PathGain, CountsConnectionsThatEndedInBoth) {
  const ConnectionTimes here = {{NameOf(2), {-1, 7}}, {NameOf(3), {100, 7}}, {NameOf(4), {50, 7}}};
  const ConnectionTimes there = {{NameOf(2), {200, 7}}, {NameOf(3), {-1, 7}}, {NameOf(4), {50, 7}}};
  const PathGain gain = GainOver(here, "a.h5", there, "b.h5");
  EXPECT_EQ(gain.connections, 1u);
  EXPECT_EQ(gain.mean, 0);
  EXPECT_EQ(gain.slower, 0u) << "equal is not slower";
}

TEST(PathGain, OfNothingIsZero) {
  const PathGain gain = GainOver({}, "a.h5", {}, "b.h5");
  EXPECT_EQ(gain.connections, 0u);
  EXPECT_EQ(gain.mean, 0);
  EXPECT_EQ(gain.p90, 0);
}

TEST(PathGain, OfOtherTrafficIsRefusedWithTheOtherFile) {
  const ConnectionTimes here = {{NameOf(2), {100, 7}}};
  const auto message = [&](const ConnectionTimes& there) {
    return MessageOf([&] { GainOver(here, "a.h5", there, "b.h5"); });
  };
  EXPECT_EQ(message({{NameOf(2), {100, 8}}}).rfind("b.h5: other traffic than a.h5", 0), 0u);
  EXPECT_EQ(message({{NameOf(3), {100, 7}}}).rfind("b.h5: other traffic than a.h5", 0), 0u);
  EXPECT_EQ(message({}).rfind("b.h5: other traffic than a.h5", 0), 0u);
}

TEST(FurthestShares, ComeFirstAndEqualsKeepTheirOrder) {
  // Spreads 0, 0.5, 0.5, 1 (one of two queue pairs sent nothing).
  const std::vector<ConnectionShares> all = {SharesOf({50, 50}, 2), SharesOf({25, 75}, 2),
                                             SharesOf({75, 25}, 2), SharesOf({9}, 2)};
  const std::vector<const ConnectionShares*> found = FurthestShares(all, 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], &all[3]);
  EXPECT_EQ(found[1], &all[1]);
  EXPECT_EQ(found[2], &all[2]);
  EXPECT_EQ(FurthestShares(all, 9).size(), 4u);
  EXPECT_TRUE(FurthestShares({}, 9).empty());
}

TEST(FurthestWeights, ComeFirst) {
  const std::vector<WeighedConnection> all = {WeightsOf(0, {0.5, 0.5}), WeightsOf(1, {0.3, 0.7}),
                                              WeightsOf(2, {0.9, 0.1})};
  const std::vector<const WeighedConnection*> found = FurthestWeights(all, 2);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->connection, 2u);
  EXPECT_EQ(found[1]->connection, 1u);
  EXPECT_TRUE(FurthestWeights(all, 0).empty());
}

}  // namespace
}  // namespace heddle
