// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_latency.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/tuner/tuner_groups.h"

namespace heddle {
namespace {

using testing::kExact;
using testing::Servers;

double ReduceUs(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group) {
  return TunerLatency(Operation::kAllReduce, algorithm, protocol, group);
}
double GatherUs(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group) {
  const double us = TunerLatency(Operation::kAllGather, algorithm, protocol, group);
  EXPECT_EQ(us, TunerLatency(Operation::kReduceScatter, algorithm, protocol, group));
  return us;
}

/// 64 servers of eight, from NCCL's table by hand.
TEST(TunerLatency, ManyServersOfEight) {
  const TunerGroup group = Servers(64, 8);
  const auto simple = [&](TunerAlgorithm algorithm) {
    return ReduceUs(algorithm, Protocol::kSimple, group);
  };
  EXPECT_NEAR(simple(TunerAlgorithm::kCollNetDirect), 44, kExact) << "2 (3.7 + 7 x 0.4) + 31";
  EXPECT_NEAR(simple(TunerAlgorithm::kCollNetChain), 69.2, kExact) << "14 x 2.8 + 30";
  EXPECT_NEAR(simple(TunerAlgorithm::kNvls), 43, kExact) << "25 + 18";
  EXPECT_NEAR(simple(TunerAlgorithm::kNvlsTree), 275.8, kExact) << "25 + 12 x 20.9";
  EXPECT_NEAR(simple(TunerAlgorithm::kTree), 232.4, kExact) << "8.4 + 2 (7 x 4 + 6 x 14)";
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kTree, Protocol::kLl, group), 6.8 + 2 * (7 * 0.6 + 6 * 5.0),
              kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kTree, Protocol::kLl128, group),
              14 + 2 * (7 * 1.25 + 6 * 8.5), kExact);
}

TEST(TunerLatency, ServersOfOneGpu) {
  const TunerGroup group = Servers(64, 1);
  EXPECT_NEAR(GatherUs(TunerAlgorithm::kPat, Protocol::kSimple, group), 211.2, kExact)
      << "8 + 6 x 14 / 3.5 + 64 x 2.8";
  EXPECT_NEAR(GatherUs(TunerAlgorithm::kRing, Protocol::kLl, group), 321.6, kExact)
      << "6.6 + 63 x 5.0, as a tree's message over the network";
  EXPECT_NEAR(GatherUs(TunerAlgorithm::kRing, Protocol::kLl128, group), 14 + 63 * 8.5, kExact);
  EXPECT_NEAR(GatherUs(TunerAlgorithm::kRing, Protocol::kSimple, group), 8.4 + 63 * 14, kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kLl, group), 6.6 + 126 * 5, kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kCollNetDirect, Protocol::kSimple, group), 14, kExact)
      << "a tree's message, and nothing within a server";
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kCollNetChain, Protocol::kSimple, group), 14, kExact);
}

/// Posting a message takes 1 us, with Simple 3, where there is a network.
TEST(TunerLatency, RingsOfServers) {
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kLl, Servers(1, 8)), 6.6 + 14 * 0.6,
              kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kSimple, Servers(1, 8)), 8.4 + 14 * 3.4,
              kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kLl, Servers(2, 8)), 6.6 + 28 * 1 + 2 * 2.7,
              kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kLl128, Servers(2, 8)),
              14 + 28 * 1.9 + 2 * 4, kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kSimple, Servers(2, 8)),
              8.4 + 28 * 3.4 + 2 * 14, kExact);
  EXPECT_NEAR(GatherUs(TunerAlgorithm::kRing, Protocol::kLl, Servers(2, 8)), 6.6 + 14 * 1 + 2.7,
              kExact);
}

/// Pieces of a chain follow each other, so that one message counts.
TEST(TunerLatency, BroadcastAndReduce) {
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce}) {
    const auto us = [&](Protocol protocol, const TunerGroup& group) {
      return TunerLatency(operation, TunerAlgorithm::kRing, protocol, group);
    };
    EXPECT_NEAR(us(Protocol::kLl, Servers(1, 8)), 6.6 + 0.6, kExact);
    EXPECT_NEAR(us(Protocol::kLl, Servers(4, 8)), 6.6 + 2.7, kExact);
    EXPECT_NEAR(us(Protocol::kSimple, Servers(64, 1)), 8.4 + 14, kExact);
    EXPECT_NEAR(us(Protocol::kLl, Servers(64, 1)), 6.6 + 2.7, kExact) << "a ring's own";
  }
}

TEST(TunerLatency, WithoutNvSwitchesOfPcie) {
  const TunerGroup bare = TunerGroupOf(GroupShape(16, 8, 0), "A100");
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kRing, Protocol::kSimple, bare), 8.4 + 28 * 5.7 + 2 * 14,
              kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kTree, Protocol::kLl, bare), 6.8 + 2 * (7 * 1 + 5.0),
              kExact);
}

TEST(TunerLatency, OneServer) {
  const TunerGroup group = Servers(1, 8);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kNvls, Protocol::kSimple, group), 25, kExact);
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kTree, Protocol::kSimple, group), 8.4 + 14 * 4, kExact);
}

/// Of three servers log2 is 1, of 20 ranks over three servers g is 6.
TEST(TunerLatency, RoundsDown) {
  const TunerGroup ragged = TunerGroupOf(GroupShape(20, 8), "H100");
  EXPECT_NEAR(ReduceUs(TunerAlgorithm::kTree, Protocol::kLl, ragged), 6.8 + 2 * (5 * 0.6 + 5.0),
              kExact);
}

/// Twelve rings are 24 channels: 24 x 16 x 64 = 24,576 bytes.
TEST(TunerLatencyFactor, OfLargeRingsOverServersWithSimple) {
  const auto factor = [](TunerAlgorithm algorithm, Protocol protocol, std::int64_t bytes,
                         const TunerGroup& group) {
    return TunerLatencyFactor(Operation::kAllReduce, algorithm, protocol, bytes, group);
  };
  const TunerGroup one = Servers(1, 8), two = Servers(2, 8);
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  EXPECT_EQ(factor(TunerAlgorithm::kRing, Protocol::kSimple, 24575, two), 1);
  EXPECT_EQ(factor(TunerAlgorithm::kRing, Protocol::kSimple, 24576, two), 1.4);
  EXPECT_EQ(factor(TunerAlgorithm::kRing, Protocol::kSimple, kGibibyte, one), 1);
  EXPECT_EQ(factor(TunerAlgorithm::kRing, Protocol::kLl128, kGibibyte, two), 1);
  EXPECT_EQ(factor(TunerAlgorithm::kTree, Protocol::kSimple, kGibibyte, two), 1);
  EXPECT_EQ(TunerLatencyFactor(Operation::kAllGather, TunerAlgorithm::kRing, Protocol::kSimple,
                               kGibibyte, two),
            1);
}

}  // namespace
}  // namespace heddle
