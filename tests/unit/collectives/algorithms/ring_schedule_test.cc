// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/ring_schedule.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

constexpr Operation kRingOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                         Operation::kReduceScatter};

CollectiveSpec Spec(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  return spec;
}

void CheckAllRings(const GroupShape& shape, std::int64_t bytes) {
  for (const Operation operation : kRingOperations) {
    for (const bool pxn : {false, true}) {
      const CollectiveSpec spec = Spec(operation, bytes);
      CheckSchedule(RingSchedule(spec, shape, pxn), spec, shape, 0);
      CheckSchedule(RingSchedule(spec, shape, pxn), spec, shape,
                    static_cast<std::uint64_t>(bytes) + pxn);
    }
  }
}

TEST(RingSchedule, MeansWhatItSaysOverSizesAndServers) {
  for (std::uint32_t n = 2; n <= 20; ++n) {
    for (const std::uint32_t server : {1U, 2U, 3U, 4U, 8U}) {
      const GroupShape shape(n, server, 1);
      for (const std::int64_t bytes : SizesFor(shape)) CheckAllRings(shape, bytes);
      if (HasFailure()) return;
    }
  }
}

TEST(RingSchedule, MeansWhatItSaysOverIrregularGroups) {
  for (const GroupShape& shape : IrregularShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) CheckAllRings(shape, bytes);
    if (HasFailure()) return;
  }
}

TEST(RingSchedule, MeansWhatItSaysOverLargeGroups) {
  CheckAllRings(GroupShape(32, 8), 32 * 8 * 5 + 3);
  CheckAllRings(GroupShape(64, 16), 64 * 16);
  const CollectiveSpec spec = Spec(Operation::kAllReduce, 1 << 20);
  const GroupShape shape(128, 8);
  CheckSchedule(RingSchedule(spec, shape, true), spec, shape, 5);
}

/// SimAI's MockNcclGroup.cc: flows and their size.
void ExpectSimAiFlows(std::uint32_t ranks, std::uint64_t flows, std::int64_t share) {
  constexpr std::int64_t kBytes = 16 << 20;
  const GroupShape shape(ranks, 8);
  const RingSchedule schedule(Spec(Operation::kAllReduce, kBytes), shape, false);
  EXPECT_EQ(schedule.channels(), 8U);
  EXPECT_EQ(schedule.chunk_count(), 2 * (ranks - 1));
  EXPECT_EQ(schedule.flow_count(), flows);
  std::uint64_t other = 0;
  schedule.ForEach([&](const GroupFlow& flow) { other += flow.bytes != kBytes / share; });
  EXPECT_EQ(other, 0U);
}

TEST(RingSchedule, HasSimAisFlowsOver8Gpus) { ExpectSimAiFlows(8, 896, 64); }
TEST(RingSchedule, HasSimAisFlowsOver128Gpus) { ExpectSimAiFlows(128, 260'096, 1024); }

TEST(RingSchedule, MovesTheTextbooksVolume) {
  for (const std::uint32_t n : {2U, 6U, 16U}) {
    const GroupShape shape(n, 4);
    const std::int64_t bytes = 3 * std::int64_t{n} * shape.fewest_locals();
    for (const Operation operation : kRingOperations) {
      std::vector<std::int64_t> sent(n);
      RingSchedule(Spec(operation, bytes), shape, false).ForEach([&](const GroupFlow& flow) {
        sent[flow.source] += flow.bytes;
      });
      const std::int64_t expected =
          bytes / n * (n - 1) * (operation == Operation::kAllReduce ? 2 : 1);
      for (std::uint32_t r = 0; r < n; ++r)
        EXPECT_EQ(sent[r], expected) << ToText(operation) << ", rank " << r << " of " << n;
    }
  }
}

/// SimAI's genringchannels: ring c leaves a server from local rank c-1 and enters the next at c.
TEST(RingSchedule, ChangesRailsBetweenServersAsSimAi) {
  const GroupShape shape(32, 8);
  std::vector<std::uint32_t> hops(8);
  RingSchedule(Spec(Operation::kAllGather, 4096), shape, false).ForEach([&](const GroupFlow& flow) {
    if (flow.chunk != 0 || shape.server_of(flow.source) == shape.server_of(flow.destination))
      return;
    ++hops[flow.channel];
    EXPECT_EQ(shape.rail(flow.source), (flow.channel + 7U) % 8);
    EXPECT_EQ(shape.rail(flow.destination), flow.channel);
    EXPECT_EQ(shape.server_of(flow.destination), (shape.server_of(flow.source) + 1) % 4);
  });
  EXPECT_EQ(hops, std::vector<std::uint32_t>(8, 4));
}

TEST(RingSchedule, WithPxnStaysOnItsRailBetweenServers) {
  const GroupShape shape(32, 8);
  std::uint32_t nets = 0;
  RingSchedule(Spec(Operation::kAllGather, 4096), shape, true).ForEach([&](const GroupFlow& flow) {
    if (shape.server_of(flow.source) == shape.server_of(flow.destination)) return;
    EXPECT_EQ(flow.connection, Connection::kPxnNet);
    EXPECT_EQ(shape.rail(flow.source), shape.rail(flow.destination));
    nets += flow.chunk == 0;
  });
  EXPECT_EQ(nets, 32U);
}

TEST(RingSchedule, ChangesRailsBehindTheNetIfItCannotBefore) {
  const GroupShape shape = OnGpus({0, 8, 9});
  std::vector<Connection> seen;
  RingSchedule(Spec(Operation::kAllGather, 3), shape, true).ForEach([&](const GroupFlow& flow) {
    if (flow.chunk == 0) seen.push_back(flow.connection);
  });
  // Ring: 0, 8, 9. 0 -> 8 is on a rail; 8 -> 9 in a server; 9 -> 0 first changes to GPU 8, on rail
  // 0.
  EXPECT_EQ(seen, (std::vector<Connection>{Connection::kRing, Connection::kRing,
                                           Connection::kPxnInit, Connection::kPxnNet}));
  seen.clear();
  const GroupShape other = OnGpus({1, 8, 9});
  RingSchedule(Spec(Operation::kAllGather, 3), other, true).ForEach([&](const GroupFlow& flow) {
    if (flow.chunk == 0) seen.push_back(flow.connection);
  });
  // Ring: 1, 8, 9. 1 -> 8: no other rank in the first server, so over rail 1 to GPU 9 and back; 9
  // -> 1 is on a rail.
  EXPECT_EQ(seen, (std::vector<Connection>{Connection::kPxnNet, Connection::kPxnFinal,
                                           Connection::kRing, Connection::kRing}));
}

TEST(RingSchedule, ReducesBeforeItSendsWhatItReduced) {
  const GroupShape shape(4, 4);
  RingSchedule(Spec(Operation::kAllReduce, 64), shape, false).ForEach([&](const GroupFlow& flow) {
    EXPECT_EQ(flow.reduced, flow.chunk >= 1 && flow.chunk <= 3) << flow.chunk;
    EXPECT_EQ(flow.reduces, flow.chunk <= 2) << flow.chunk;
  });
  RingSchedule(Spec(Operation::kReduceScatter, 64), shape, false)
      .ForEach(
          [&](const GroupFlow& flow) { EXPECT_EQ(flow.reduced, flow.chunk >= 1) << flow.chunk; });
  RingSchedule(Spec(Operation::kAllGather, 64), shape, false).ForEach([&](const GroupFlow& flow) {
    EXPECT_FALSE(flow.reduced || flow.reduces) << flow.chunk;
  });
}

TEST(RingSchedule, OfManyRanksIsSmall) {
  const GroupShape shape(1920, 8);
  const RingSchedule schedule(Spec(Operation::kAllReduce, 1 << 30), shape, true);
  EXPECT_EQ(schedule.flow_count(), (8U * 1920 + 8 * 240) * 2 * 1919);
  EXPECT_LT(shape.memory() + schedule.memory(), 512U << 10);  // requirement: 1 MiB
}

}  // namespace
}  // namespace heddle
