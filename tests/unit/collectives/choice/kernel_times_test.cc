// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/choice/kernel_times.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

/// Figures that are easy to add: links of 100 GB/s in servers and 50 GB/s between them.
HardwareFigures Round() {
  HardwareFigures figures;
  figures.values.fill(1);
  const auto set = [&](Figure figure, double value) {
    figures.values[static_cast<std::size_t>(figure)] = value;
  };
  set(Figure::kBaseLl, 7);
  set(Figure::kBaseDirect, 9);
  set(Figure::kBaseNvls, 2);
  set(Figure::kNvlinkSimple, 3);
  set(Figure::kNetLl, 5);
  set(Figure::kTreeNetLl, 8);
  set(Figure::kRateLl, 1000);
  set(Figure::kRateSimple, 50);
  set(Figure::kRateDirect, 80);
  set(Figure::kLine, 2);
  set(Figure::kShare, 0.5);
  set(Figure::kPeerLl, 4);
  set(Figure::kPeerSimple, 6);
  set(Figure::kRelayedRate, 10);
  set(Figure::kNvlsPiece, 5);
  set(Figure::kNvlsChannelRate, 2);
  set(Figure::kNvlsTreeRate, 1);
  set(Figure::kNvlsRate, 100);
  figures.nvlinks = 100e9;
  figures.nics = 50e9;
  return figures;
}

constexpr std::int64_t kThousand = 1000;

struct Message {
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kLl;
  PathKind path = PathKind::kNvLink;
  std::int64_t bytes = 0;
  double inside = 1, between = 1;
  std::uint32_t peer = 0;
  bool first = false;
  Connection connection = Connection::kRing;
  ChunkOptions chunks = {};
  std::int64_t buffer = 0;
};

double Micro(const Message& m) {
  GroupFlow flow;
  flow.bytes = flow.asked = m.bytes;
  flow.connection = m.connection;
  const MessagePlace place{m.path, m.first, 8, m.inside, m.between, m.buffer, m.peer};
  return KernelTimes(Round(), m.chunks).Of({m.algorithm, m.protocol}, flow, place).seconds() * 1e6;
}

TEST(KernelTimes, LatenciesAreByProtocolAndLink) {
  EXPECT_DOUBLE_EQ(Micro({}), 1);
  Message m;
  m.first = true;
  EXPECT_DOUBLE_EQ(Micro(m), 8);
  m.path = PathKind::kNet;
  EXPECT_DOUBLE_EQ(Micro(m), 12);
  m.algorithm = Algorithm::kTree;
  EXPECT_DOUBLE_EQ(Micro(m), 15);
  m.algorithm = Algorithm::kDirect;
  EXPECT_DOUBLE_EQ(Micro(m), 14);
  EXPECT_DOUBLE_EQ(Micro({Algorithm::kRing, Protocol::kNone}), 3) << "as Simple";
}

TEST(KernelTimes, KernelsAddWhatTheyNeedBeyondTheLinks) {
  // 8 messages of 1 MB: 160 us at 50 GB/s, of which the NVLinks take 80.
  Message m{Algorithm::kRing, Protocol::kSimple, PathKind::kNvLink, kThousand * kThousand, 8};
  EXPECT_DOUBLE_EQ(Micro(m), 3 + 80);
  m.protocol = Protocol::kLl;  // kernels are the faster ones
  EXPECT_DOUBLE_EQ(Micro(m), 1);
  m = {Algorithm::kRing, Protocol::kSimple, PathKind::kNet, kThousand * kThousand, 8, 2};
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 40) << "half of the line rate is reached";
}

TEST(KernelTimes, ProxiesServePeersAndLines) {
  Message m{Algorithm::kDirect, Protocol::kLl, PathKind::kNet, 0, 1, 1, 3};
  EXPECT_DOUBLE_EQ(Micro(m), 5 + 3 * 4);
  m.protocol = Protocol::kSimple;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 3 * 6);
  m = {Algorithm::kRing, Protocol::kLl, PathKind::kNet, 4096, 1, 1};
  EXPECT_NEAR(Micro(m), 5 + 4 * 2 + 2 * 4096 / 50e3, 1e-6);
}

TEST(KernelTimes, LlNeedsMoreForLargerBuffers) {
  Message m;
  EXPECT_DOUBLE_EQ(Micro(m), 1);
  m.buffer = 16;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 1);
  m.buffer = 16 * 7;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 3);
  m.buffer = 1 << 30;
  EXPECT_NEAR(Micro(m), 1 + std::log2(4097), 1e-6) << "as with 64 KiB";
  m.protocol = Protocol::kLl128;
  EXPECT_DOUBLE_EQ(Micro(m), 1);
  m = {Algorithm::kTree, Protocol::kLl, PathKind::kNet};
  m.buffer = 512 * 3;
  EXPECT_DOUBLE_EQ(Micro(m), 8 + 2);
  m.algorithm = Algorithm::kRing;
  EXPECT_DOUBLE_EQ(Micro(m), 5) << "of trees between servers only";
}

TEST(KernelTimes, RelayedMessagesHaveARateOfTheirOwn) {
  Message m{Algorithm::kDirect, Protocol::kSimple, PathKind::kNet, kThousand * kThousand, 1, 1};
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 20);
  m.connection = Connection::kPxnNet;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 80);
  m.chunks.p2p_chunk *= 2;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 30) << "20 of 50 GB/s";
  m.chunks.p2p_channels = 4;
  EXPECT_DOUBLE_EQ(Micro(m), 1 + 20) << "40 GB/s, but the NICs reach 25";
}

TEST(KernelTimes, DirectMessagesOfSeveralChunksGoOneAfterTheOther) {
  Message m{Algorithm::kDirect, Protocol::kSimple, PathKind::kNet, 131072, 1, 4};
  m.connection = Connection::kDirect;
  m.peer = 3;
  EXPECT_NEAR(Micro(m), 1 + 3 * 6 + 4 * 131072 / 50e3, 1e-6)
      << "one chunk: all at once, 25 of 50 GB/s";
  m.bytes = 250 * kThousand;
  EXPECT_NEAR(Micro(m), 1 + 3 * (6 + 10) + 5, 1e-6) << "10 us each of those before, and its own";
  m.path = PathKind::kNvLink;
  m.inside = 7;
  EXPECT_NEAR(Micro(m), 3 + 3 * 1 + 7 * (250 / 80.0 - 250 / 100.0), 1e-6) << "half a chunk there";
  m.bytes = 800 * kThousand;
  EXPECT_NEAR(Micro(m), 3 + 3 * (1 + 10) + (10 - 8), 1e-6);
  m.connection = Connection::kPxnNet;
  EXPECT_NEAR(Micro(m), 3 + 3 * 1 + 7 * (10 - 8), 1e-6) << "what is relayed is not";
}

TEST(KernelTimes, PiecesOfNvlsTakeAFixedTimeAndTheirBytes) {
  Message m{Algorithm::kNvlsMultimem, Protocol::kSimple, PathKind::kNvLink, 128 * kThousand};
  m.connection = Connection::kNvlsStore;
  EXPECT_DOUBLE_EQ(Micro(m), 163.84) << "eight heads of 16 channels, 100 GB/s together";
  m.connection = Connection::kNvlsRequest;
  EXPECT_DOUBLE_EQ(Micro(m), 163.84);
  m.bytes = kThousand;
  EXPECT_DOUBLE_EQ(Micro(m), 5 + 0.5) << "its channel is the slower one";
  m.algorithm = Algorithm::kNvlsTreeMultimem;
  EXPECT_DOUBLE_EQ(Micro(m), 5 + 1);
  m.first = true;
  EXPECT_DOUBLE_EQ(Micro(m), 2 + 8 * 1 + 5 + 1) << "eight heads";
}

TEST(KernelTimes, AChannelAsksForOnePieceAtATime) {
  GroupFlow request;
  request.asked = 128 * kThousand;
  request.connection = Connection::kNvlsRequest;
  const KernelTimes kernels(Round(), {});
  const MessagePlace place{PathKind::kNvLink, false, 8};
  const AlgorithmChoice choice{Algorithm::kNvlsTreeMultimem, Protocol::kSimple};
  for (const std::uint32_t chunk : {0U, 15U, 16U, 47U}) {
    request.chunk = chunk;
    EXPECT_DOUBLE_EQ(kernels.PieceStart(choice, request, place).seconds() * 1e6,
                     10 + 163.84 * (chunk / 16))
        << chunk;
  }
}

TEST(KernelTimes, ATreePassesOnePieceAfterTheOther) {
  HardwareFigures figures = Round();
  figures.values[static_cast<std::size_t>(Figure::kTreeRateLl)] = 40;
  GroupFlow up;
  up.bytes = 100 * kThousand;
  up.connection = Connection::kTreeUp;
  up.chunk = 3;
  const AlgorithmChoice choice{Algorithm::kTree, Protocol::kLl};
  const Time start =
      KernelTimes(figures, {}).PieceStart(choice, up, {PathKind::kNvLink, false, 16, 16});
  EXPECT_DOUBLE_EQ(start.seconds() * 1e6, 7 + 3 * 40) << "1.6 MB a piece of all channels";
}

TEST(KernelTimes, NothingIsFasterThanLeast) {
  for (int generation = 0; generation < 3; ++generation) {
    for (int kind = 0; kind < kNicKinds; ++kind) {
      const HardwareFigures figures =
          FiguresOf(static_cast<GpuGeneration>(generation), static_cast<NicKind>(kind));
      const KernelTimes kernels(figures, {});
      EXPECT_GT(kernels.least(), Time{0});
      for (const Algorithm algorithm :
           {Algorithm::kRing, Algorithm::kTree, Algorithm::kDirect, Algorithm::kPat,
            Algorithm::kCollNetDirect, Algorithm::kNvlsMultimem, Algorithm::kNvlsTreeMultimem}) {
        for (const PathKind path : {PathKind::kNvLink, PathKind::kPci, PathKind::kNet}) {
          for (const Protocol protocol : {Protocol::kLl, Protocol::kLl128, Protocol::kSimple}) {
            const Time delay = kernels.Of({algorithm, protocol}, {}, {path});
            EXPECT_GE(delay, kernels.least());
          }
        }
      }
    }
  }
}

CollectiveSpec AllToAll() {
  CollectiveSpec spec;
  spec.operation = Operation::kAllToAll;
  return spec;
}

TEST(PlaceOf, CountsWhatSharesTheLinks) {
  const GroupShape shape(16, 8);
  GroupFlow flow;
  flow.destination = 1;
  const MessagePlace ring =
      PlaceOf({}, {Algorithm::kRing, Protocol::kLl}, shape, flow, 8, PathKind::kNvLink, false);
  EXPECT_EQ(ring.inside, 8);
  EXPECT_EQ(ring.between, 1);
  EXPECT_EQ(PlaceOf({}, {Algorithm::kTree, Protocol::kLl}, shape, flow, 16, PathKind::kNet, false)
                .between,
            2);
}

TEST(PlaceOf, TreesWithLl128AreSlowerOverMoreServers) {
  const AlgorithmChoice tree{Algorithm::kTree, Protocol::kLl128};
  const auto inside = [&](std::uint32_t servers) {
    const GroupShape shape(8 * servers, 8);
    GroupFlow flow;
    flow.destination = 1;
    return PlaceOf({}, tree, shape, flow, 16, PathKind::kNvLink, false).inside;
  };
  EXPECT_EQ(inside(2), 16);
  EXPECT_NEAR(inside(3), 16 * 36.7 / 29, 1e-9);
}

TEST(PlaceOf, PeersOfAnAllToAllTakeTurns) {
  const GroupShape shape(24, 8);
  const AlgorithmChoice direct{Algorithm::kDirect, Protocol::kLl};
  std::vector<std::uint32_t> inside, between;
  for (Participant to = 0; to < 24; ++to) {
    GroupFlow flow;
    flow.source = 10;
    flow.destination = to;
    flow.connection = Connection::kDirect;
    if (to == flow.source) continue;
    const bool stays = shape.server_of(to) == 1;
    const MessagePlace place = PlaceOf(AllToAll(), direct, shape, flow, 1,
                                       stays ? PathKind::kNvLink : PathKind::kNet, false);
    EXPECT_EQ(place.inside, 7);
    EXPECT_EQ(place.between, 16);
    (stays ? inside : between).push_back(place.peer);
  }
  std::sort(inside.begin(), inside.end());
  std::sort(between.begin(), between.end());
  for (std::uint32_t i = 0; i < inside.size(); ++i) EXPECT_EQ(inside[i], i);
  for (std::uint32_t i = 0; i < between.size(); ++i) EXPECT_EQ(between[i], i);
  GroupFlow relayed;
  relayed.source = 10;
  relayed.destination = 18;
  relayed.connection = Connection::kPxnNet;
  const MessagePlace place = PlaceOf(AllToAll(), direct, shape, relayed, 1, PathKind::kNet, false);
  EXPECT_EQ(place.between, 2);
  EXPECT_EQ(place.peer, 7u) << "it carries what eight GPUs send";
}

}  // namespace
}  // namespace heddle
