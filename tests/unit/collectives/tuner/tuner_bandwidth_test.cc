// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/tuner/tuner_bandwidth.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/tuner/tuner_groups.h"

namespace heddle {
namespace {

using testing::kExact;
using testing::Servers;

constexpr std::int64_t kLarge = std::int64_t{1} << 30;  // trees are not corrected from here on

double ReduceRate(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group,
                  std::int64_t bytes = kLarge) {
  return TunerBandwidth(Operation::kAllReduce, algorithm, protocol, bytes, group);
}
double SimpleRing(const TunerGroup& group) {
  return ReduceRate(TunerAlgorithm::kRing, Protocol::kSimple, group);
}
double GatherRate(TunerAlgorithm algorithm, Protocol protocol, const TunerGroup& group) {
  const double rate = TunerBandwidth(Operation::kAllGather, algorithm, protocol, kLarge, group);
  EXPECT_EQ(rate, TunerBandwidth(Operation::kReduceScatter, algorithm, protocol, kLarge, group));
  return rate;
}

/// Twelve rings of 30 GB/s, of which an AllReduce of N ranks gets N / (2(N - 1)), by tree half.
TEST(TunerBandwidth, RingsAndTreesOfH100) {
  const TunerGroup one = Servers(1, 8), two = Servers(2, 8), many = Servers(16, 8);
  const auto ring = [](Protocol protocol, const TunerGroup& group) {
    return ReduceRate(TunerAlgorithm::kRing, protocol, group);
  };
  const auto tree = [](Protocol protocol, const TunerGroup& group) {
    return ReduceRate(TunerAlgorithm::kTree, protocol, group);
  };
  EXPECT_NEAR(ring(Protocol::kSimple, one), 360 * 8.0 / 14, kExact);
  EXPECT_NEAR(ring(Protocol::kLl128, one), 0.92 * 360 * 8 / 14, kExact);
  EXPECT_NEAR(ring(Protocol::kLl, one), 141 * 8.0 / 14, kExact) << "less than half of 360";
  EXPECT_NEAR(ring(Protocol::kLl, two), 39 * 16.0 / 30, kExact);
  EXPECT_NEAR(ring(Protocol::kLl, many), 20.4 * 128 / 254, kExact);
  EXPECT_NEAR(tree(Protocol::kSimple, one), 0.92 * 360 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl128, one), 0.92 * 360 * 7 / 9 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl128, two), 0.92 * 360 * 15 / 16 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl, one), 0.92 * 360 / 3.8 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl, two), 39.0 / 2, kExact);
}

/// 17.8 GB/s a tree of A100 over three servers is less than 92 % of 20.
TEST(TunerBandwidth, LimitsOfATree) {
  const auto tree = [](Protocol protocol) {
    return ReduceRate(TunerAlgorithm::kTree, protocol, Servers(3, 8, "A100"));
  };
  EXPECT_NEAR(tree(Protocol::kSimple), 12 * 17.8 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl128), 12 * 17.8 * 15 / 16 / 2, kExact);
  EXPECT_NEAR(tree(Protocol::kLl), 20.4 / 2, kExact);
}

/// NICs of 50 GB/s: six are six rings, of which LL128 reaches 36.7 GB/s and trees 36 or 29; two are
/// four rings of 25, of which H100 reaches 92 %, and LL128 of A100 20 GB/s.
TEST(TunerBandwidth, RingsOfNics) {
  const TunerGroup six = Servers(4, 6), pairs = Servers(4, 2);
  EXPECT_NEAR(SimpleRing(six), 300 * 24 / 46.0, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl128, six), 6 * 36.7 * 24 / 46, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kTree, Protocol::kSimple, six), 6 * 36.0 / 2, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kTree, Protocol::kLl128, six), 6 * 29.0 / 2, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl128, pairs), 0.92 * 100 * 8 / 14,
              kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl128, Servers(4, 2, "A100")),
              4 * 20.0 * 8 / 14, kExact);
}

TEST(TunerBandwidth, GpuTypes) {
  EXPECT_NEAR(SimpleRing(Servers(1, 8, "A100")), 240 * 8.0 / 14, kExact);
  EXPECT_NEAR(SimpleRing(Servers(1, 8, "H800")), 160 * 8.0 / 14, kExact);
  EXPECT_NEAR(SimpleRing(Servers(1, 8, "B200")), 720 * 8.0 / 14, kExact);
  EXPECT_NEAR(SimpleRing(Servers(2, 8, "B200")), 400 * 16.0 / 30, kExact)
      << "eight NICs of 50 GB/s";
  EXPECT_EQ(SimpleRing(Servers(1, 8, "X1")), SimpleRing(Servers(1, 8, "H100")));
}

/// 16 rings of 45 GB/s in a server: LL128 does 40 a ring; NICs: eight of 50, of which trees do 24.
TEST(TunerBandwidth, LimitsOfB200) {
  const TunerGroup one = Servers(1, 8, "B200"), many = Servers(16, 8, "B200");
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl, one), 282 * 8.0 / 14, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl128, one), 640 * 8.0 / 14, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kTree, Protocol::kSimple, one), 0.92 * 720 / 2, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kTree, Protocol::kSimple, many), 8 * 24.0 / 2, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kTree, Protocol::kLl128, many), 8 * 20.0 / 2, kExact);
}

/// From 64 bytes on, an entry for each power of two; NCCL's table, 64 KiB is entry 10.
TEST(TunerBandwidth, TreesBySize) {
  const TunerGroup two = Servers(2, 8);
  const auto part = [&](Protocol protocol, std::int64_t bytes) {
    return ReduceRate(TunerAlgorithm::kTree, protocol, two, bytes) /
           ReduceRate(TunerAlgorithm::kTree, protocol, two);
  };
  EXPECT_NEAR(part(Protocol::kSimple, 1), 1, kExact) << "before the table";
  EXPECT_NEAR(part(Protocol::kSimple, 63), 1, kExact) << "before the table";
  EXPECT_NEAR(part(Protocol::kSimple, 64), 0.9, kExact);
  EXPECT_NEAR(part(Protocol::kLl, 65535), 0.7, kExact);
  EXPECT_NEAR(part(Protocol::kLl, 65536), 0.6, kExact);
  EXPECT_NEAR(part(Protocol::kLl, 524288), 0.4, kExact);
  EXPECT_NEAR(part(Protocol::kLl128, 524288), 0.6, kExact);
  EXPECT_NEAR(part(Protocol::kSimple, 524288), 0.5, kExact);
  EXPECT_NEAR(part(Protocol::kSimple, kLarge - 1), 0.9, kExact) << "the last entry";
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kRing, Protocol::kLl, two, 524288), 39 * 16.0 / 30, kExact)
      << "rings have no such table";
}

/// Eight channels of 40 GB/s (B200: 80), of which NVLS reaches 85 % (74 %) of seven eighths, twice:
/// 59.5 (103.6) a channel. Over two servers at most 57.7 (96), over more 45.5, or a NIC's 50.
TEST(TunerBandwidth, Nvls) {
  const auto nvls = [](const TunerGroup& group) {
    return ReduceRate(group.one_server() ? TunerAlgorithm::kNvls : TunerAlgorithm::kNvlsTree,
                      Protocol::kSimple, group);
  };
  EXPECT_NEAR(nvls(Servers(1, 8)), 476 * 8.0 / 14, kExact)
      << "NVIDIA measured 480 of bus bandwidth";
  EXPECT_NEAR(nvls(Servers(2, 8)), 8 * 57.7 * 16 / 30, kExact);
  EXPECT_NEAR(nvls(Servers(16, 8)), 8 * 45.5 * 128 / 254, kExact);
  EXPECT_NEAR(nvls(Servers(1, 8, "B200")), 8 * 103.6 * 8 / 14, kExact);
  EXPECT_NEAR(nvls(Servers(2, 8, "B200")), 8 * 96.0 * 16 / 30, kExact);
  EXPECT_NEAR(nvls(Servers(16, 8, "B200")), 8 * 50.0 * 128 / 254, kExact);
  EXPECT_NEAR(nvls(Servers(1, 4)), 4 * 60 * 0.85 * 3 / 4 * 2 * 4 / 6, kExact)
      << "four heads have room for channels of 60";
  EXPECT_NEAR(GatherRate(TunerAlgorithm::kNvls, Protocol::kSimple, Servers(1, 8)),
              8 * 40 * 0.85 * 7 / 8 * 7 / 8, kExact);
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kNvls, Protocol::kSimple, Servers(16, 8)),
              8 * 50 * 128.0 / 254, kExact)
      << "with CollNet";
  EXPECT_EQ(ReduceRate(TunerAlgorithm::kNvls, Protocol::kSimple, Servers(1, 8, "A100")), 0);
  EXPECT_EQ(ReduceRate(TunerAlgorithm::kNvls, Protocol::kLl, Servers(1, 8)), 0);
}

/// Of 512 KiB Blackwell's NVLS-Tree reaches half, as a tree does; Hopper's all.
TEST(TunerBandwidth, NvlsTreeBySize) {
  const auto part = [](const char* gpu_type) {
    const TunerGroup two = Servers(2, 8, gpu_type);
    return ReduceRate(TunerAlgorithm::kNvlsTree, Protocol::kSimple, two, 524288) /
           ReduceRate(TunerAlgorithm::kNvlsTree, Protocol::kSimple, two);
  };
  EXPECT_NEAR(part("B200"), 0.5, kExact);
  EXPECT_NEAR(part("H100"), 1, kExact);
}

/// Direct: eight channels of 50 GB/s, 85 % of them from Hopper on, AllReduce half. Chain: the
/// NVLinks share 360 (240) GB/s among eight channels.
TEST(TunerBandwidth, CollNet) {
  const auto direct = [](const TunerGroup& group) {
    return ReduceRate(TunerAlgorithm::kCollNetDirect, Protocol::kSimple, group);
  };
  EXPECT_NEAR(direct(Servers(16, 8)), 400 * 0.85 / 2, kExact);
  EXPECT_NEAR(direct(Servers(16, 8, "A100")), 400 / 2.0, kExact);
  EXPECT_NEAR(GatherRate(TunerAlgorithm::kCollNetDirect, Protocol::kSimple, Servers(16, 8)), 8 * 45,
              kExact);
  const auto chain = [](const TunerGroup& group) {
    return ReduceRate(TunerAlgorithm::kCollNetChain, Protocol::kSimple, group);
  };
  EXPECT_NEAR(chain(Servers(16, 8)), 360 / 2.0, kExact);
  EXPECT_NEAR(chain(Servers(16, 8, "A100")), 240 / 2.0, kExact);
  EXPECT_NEAR(chain(Servers(16, 8, "B200")), 400 / 2.0, kExact);
}

/// Servers of eight and four: r = 6 GPUs for each of four channels is 1.5; 1.5 - 0.25.
TEST(TunerBandwidth, CollNetOfUnequalServers) {
  const TunerGroup ragged = TunerGroupOf(GroupShape(12, 8), "A100");
  EXPECT_NEAR(ReduceRate(TunerAlgorithm::kCollNetDirect, Protocol::kSimple, ragged), 200 / 1.25 / 2,
              kExact);
}

/// NICs of 50 GB/s: PAT has three quarters of them, a ring N / (N - 1) of them.
TEST(TunerBandwidth, GathersOfOneGpuAServer) {
  const TunerGroup group = Servers(64, 1);
  EXPECT_NEAR(GatherRate(TunerAlgorithm::kPat, Protocol::kSimple, group), 37.5, kExact);
  EXPECT_NEAR(GatherRate(TunerAlgorithm::kRing, Protocol::kSimple, group), 50.0 * 64 / 63, kExact);
  EXPECT_NEAR(GatherRate(TunerAlgorithm::kRing, Protocol::kLl, group), 20.4 * 64 / 63, kExact);
}

TEST(TunerBandwidth, BroadcastPassesEveryByteOnce) {
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce}) {
    EXPECT_NEAR(
        TunerBandwidth(operation, TunerAlgorithm::kRing, Protocol::kSimple, kLarge, Servers(1, 8)),
        360, kExact);
  }
}

}  // namespace
}  // namespace heddle
