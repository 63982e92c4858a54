// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/tuner_rates.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 30;  // trees are not corrected from here on

double GigabytesASecond(Algorithm algorithm, Protocol protocol, const GroupShape& shape,
                        const std::string& gpu_type, std::int64_t bytes = kLarge) {
  return TunerRate(algorithm, protocol, bytes, shape, gpu_type) / 1e9;
}

/// Twelve rings of 30 GB/s, of which an AllReduce of n ranks gets n / (2(n - 1)), by tree half.
TEST(TunerRate, OfH100) {
  const GroupShape one(8, 8), two(16, 8), many(128, 8);
  const auto ring = [](Protocol protocol, const GroupShape& shape) {
    return GigabytesASecond(Algorithm::kRing, protocol, shape, "H100");
  };
  const auto tree = [](Protocol protocol, const GroupShape& shape) {
    return GigabytesASecond(Algorithm::kTree, protocol, shape, "H100");
  };
  EXPECT_NEAR(ring(Protocol::kSimple, one), 360 * 8.0 / 14, 1e-9);
  EXPECT_NEAR(ring(Protocol::kLl128, one), 0.92 * 360 * 8 / 14, 1e-9);
  EXPECT_NEAR(ring(Protocol::kLl, one), 141 * 8.0 / 14, 1e-9) << "less than half of 360";
  EXPECT_NEAR(ring(Protocol::kLl, two), 39 * 16.0 / 30, 1e-9);
  EXPECT_NEAR(ring(Protocol::kLl, many), 20.4 * 128 / 254, 1e-9);
  EXPECT_NEAR(tree(Protocol::kSimple, one), 0.92 * 360 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl128, one), 0.92 * 360 * 7 / 9 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl128, two), 0.92 * 360 * 15 / 16 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl, one), 0.92 * 360 / 3.8 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl, two), 39.0 / 2, 1e-9);
}

/// 17.8 GB/s a tree of A100 over three servers is less than 92 % of 20.
TEST(TunerRate, CapsOfATree) {
  const GroupShape three(24, 8);
  const auto tree = [&](Protocol protocol) {
    return GigabytesASecond(Algorithm::kTree, protocol, three, "A100");
  };
  EXPECT_NEAR(tree(Protocol::kSimple), 12 * 17.8 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl128), 12 * 17.8 * 15 / 16 / 2, 1e-9);
  EXPECT_NEAR(tree(Protocol::kLl), 20.4 / 2, 1e-9);
}

/// NICs of 50 GB/s: six are six rings, of which LL128 reaches 36.7 GB/s and trees 36 or 29; two are
/// four rings of 25, of which H100 reaches 92 %, and LL128 of A100 20 GB/s.
TEST(TunerRate, RingsOfNics) {
  const GroupShape six(24, 6), pairs(8, 2);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kSimple, six, "H100"), 300 * 24 / 46.0,
              1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kLl128, six, "H100"), 6 * 36.7 * 24 / 46,
              1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kTree, Protocol::kSimple, six, "H100"), 6 * 36.0 / 2,
              1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kTree, Protocol::kLl128, six, "H100"), 6 * 29.0 / 2,
              1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kLl128, pairs, "H100"),
              0.92 * 100 * 8 / 14, 1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kLl128, pairs, "A100"),
              4 * 20.0 * 8 / 14, 1e-9);
}

TEST(TunerRate, GpuTypes) {
  const GroupShape one(8, 8), two(16, 8);
  const auto simple = [](const GroupShape& shape, const std::string& gpu_type) {
    return GigabytesASecond(Algorithm::kRing, Protocol::kSimple, shape, gpu_type);
  };
  EXPECT_NEAR(simple(one, "A100"), 240 * 8.0 / 14, 1e-9);
  EXPECT_NEAR(simple(one, "H800"), 160 * 8.0 / 14, 1e-9);
  EXPECT_NEAR(simple(one, "B200"), 720 * 8.0 / 14, 1e-9);
  EXPECT_NEAR(simple(two, "B200"), 400 * 16.0 / 30, 1e-9) << "eight NICs of 50 GB/s";
  EXPECT_NEAR(simple(one, "X1"), simple(one, "H100"), 1e-9);
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kLl, one, "B200"), 282 * 8.0 / 14, 1e-9);
}

/// From 64 bytes on, an entry for each power of two; NCCL's table, 64 KiB is entry 10.
TEST(TunerRate, TreesBySize) {
  const GroupShape two(16, 8);
  const auto part = [&](Protocol protocol, std::int64_t bytes) {
    return GigabytesASecond(Algorithm::kTree, protocol, two, "H100", bytes) /
           GigabytesASecond(Algorithm::kTree, protocol, two, "H100", kLarge);
  };
  EXPECT_NEAR(part(Protocol::kSimple, 63), 1, 1e-9) << "before the table";
  EXPECT_NEAR(part(Protocol::kSimple, 64), 0.9, 1e-9);
  EXPECT_NEAR(part(Protocol::kLl, 65535), 0.7, 1e-9);
  EXPECT_NEAR(part(Protocol::kLl, 65536), 0.6, 1e-9);
  EXPECT_NEAR(part(Protocol::kLl, 524288), 0.4, 1e-9);
  EXPECT_NEAR(part(Protocol::kLl128, 524288), 0.6, 1e-9);
  EXPECT_NEAR(part(Protocol::kSimple, 524288), 0.5, 1e-9);
  EXPECT_NEAR(part(Protocol::kSimple, kLarge - 1), 0.9, 1e-9) << "the last entry";
  EXPECT_NEAR(GigabytesASecond(Algorithm::kRing, Protocol::kLl, two, "H100", 524288),
              39 * 16.0 / 30, 1e-9)
      << "rings have no such table";
}

/// Twelve rings are 24 channels: 24 x 16 x 64 = 24,576 bytes.
TEST(TunerLatencyFactor, OfLargeRingsOverServersWithSimple) {
  const GroupShape one(8, 8), two(16, 8);
  const auto factor = [](Algorithm algorithm, Protocol protocol, std::int64_t bytes,
                         const GroupShape& shape) {
    return TunerLatencyFactor(algorithm, protocol, bytes, shape, "H100");
  };
  EXPECT_EQ(factor(Algorithm::kRing, Protocol::kSimple, 24575, two), 1);
  EXPECT_EQ(factor(Algorithm::kRing, Protocol::kSimple, 24576, two), 1.4);
  EXPECT_EQ(factor(Algorithm::kRing, Protocol::kSimple, kLarge, one), 1);
  EXPECT_EQ(factor(Algorithm::kRing, Protocol::kLl128, kLarge, two), 1);
  EXPECT_EQ(factor(Algorithm::kTree, Protocol::kSimple, kLarge, two), 1);
}

/// By hand, from the rows of NCCL's tuner: servers of one GPU take the trees' latency of the
/// network.
TEST(TunerGather, LatencyOfOneGpuAServer) {
  const GroupShape shape(64, 1);
  const auto us = [&](Algorithm algorithm, Protocol protocol) {
    return 1e6 * TunerGatherSeconds(algorithm, protocol, 0, shape, "H100");
  };
  EXPECT_NEAR(us(Algorithm::kPat, Protocol::kSimple), 8 + 6 * 4 + 2.8 * 64, 1e-9);
  EXPECT_NEAR(us(Algorithm::kRing, Protocol::kLl), 6.6 + 63 * 5, 1e-9);
  EXPECT_NEAR(us(Algorithm::kRing, Protocol::kLl128), 14 + 63 * 8.5, 1e-9);
  EXPECT_NEAR(us(Algorithm::kRing, Protocol::kSimple), 8.4 + 63 * 14, 1e-9);
  EXPECT_NEAR(
      1e6 * TunerGatherSeconds(Algorithm::kRing, Protocol::kLl, 0, GroupShape(16, 8), "H100"),
      6.6 + 14 * 1 + 2.7, 1e-9);
}

/// NICs of 50 GB/s: PAT has three quarters of them, a ring n / (n - 1) of them.
TEST(TunerGather, BytesOfOneGpuAServer) {
  const GroupShape shape(64, 1);
  const auto rate = [&](Algorithm algorithm, Protocol protocol) {
    const auto seconds = [&](std::int64_t bytes) {
      return TunerGatherSeconds(algorithm, protocol, bytes, shape, "H100");
    };
    return 1e-9 * kLarge / (seconds(kLarge) - seconds(0));
  };
  EXPECT_NEAR(rate(Algorithm::kPat, Protocol::kSimple), 37.5, 1e-6);
  EXPECT_NEAR(rate(Algorithm::kRing, Protocol::kSimple), 50.0 * 64 / 63, 1e-6);
  EXPECT_NEAR(rate(Algorithm::kRing, Protocol::kLl), 20.4 * 64 / 63, 1e-6);
}

}  // namespace
}  // namespace heddle
