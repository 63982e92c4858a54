// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/chain_schedule.h"

#include <gtest/gtest.h>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

CollectiveSpec Spec(Operation operation, std::int64_t bytes, Participant root) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  spec.root = root;
  return spec;
}

ChunkOptions Pieces(std::int64_t bytes, std::int64_t in_flight) {
  ChunkOptions options;
  options.chunk_bytes = bytes;
  options.chunks_in_flight = in_flight;
  return options;
}

void CheckAllChains(const GroupShape& shape, std::int64_t bytes) {
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce}) {
    for (const Participant root : {0U, shape.ranks() / 2, shape.ranks() - 1}) {
      for (const bool pxn : {false, true}) {
        const CollectiveSpec spec = Spec(operation, bytes, root);
        CheckSchedule(ChainSchedule(spec, shape, Pieces(500, 2), pxn), spec, shape, 0);
        CheckSchedule(ChainSchedule(spec, shape, Pieces(300, 3), pxn), spec, shape, 1 + root);
      }
    }
  }
}

TEST(ChainSchedule, MeansWhatItSaysOverSizesAndServers) {
  for (std::uint32_t n = 2; n <= 20; ++n) {
    for (const std::uint32_t server : {1U, 2U, 3U, 4U, 8U}) {
      const GroupShape shape(n, server);
      for (const std::int64_t bytes : SizesFor(shape)) CheckAllChains(shape, bytes);
      if (HasFailure()) return;
    }
  }
  CheckAllChains(GroupShape(64, 8), 10'000);
}

TEST(ChainSchedule, MeansWhatItSaysOverIrregularGroups) {
  for (const GroupShape& shape : IrregularShapes()) {
    for (const std::int64_t bytes : SizesFor(shape)) CheckAllChains(shape, bytes);
  }
}

TEST(ChainSchedule, CutsIntoPiecesAndSendsEachByteOnceALink) {
  const GroupShape shape(8, 4);
  for (const Operation operation : {Operation::kBroadcast, Operation::kReduce}) {
    const ChainSchedule schedule(Spec(operation, 4000, 5), shape, Pieces(300, 2), false);
    EXPECT_EQ(schedule.channels(), 4U);
    EXPECT_EQ(schedule.chunk_count(), 4U);  // pieces of a ring's 1000 bytes
    EXPECT_EQ(schedule.flow_count(), 4U * 4 * 7);
    std::vector<std::int64_t> sent(8);
    schedule.ForEach([&](const GroupFlow& flow) {
      EXPECT_EQ(flow.bytes, 250);
      sent[flow.source] += flow.bytes;
    });
    std::int64_t total = 0;
    for (const std::int64_t bytes : sent) total += bytes;
    EXPECT_EQ(total, 7 * 4000);
    EXPECT_EQ(sent[5], operation == Operation::kBroadcast ? 4000 : 0);
  }
}

TEST(ChainSchedule, KeepsSoManyPiecesUnderWay) {
  const GroupShape shape(4, 4);
  const ChainSchedule schedule(Spec(Operation::kBroadcast, 4000, 2), shape, Pieces(100, 3), false);
  std::vector<GroupFlow> first, next;
  schedule.Begin(0, &first);
  EXPECT_TRUE(first.empty());
  schedule.Begin(2, &first);
  ASSERT_EQ(first.size(), 4U * 3);
  EXPECT_EQ(first[2].chunk, 2U);
  schedule.AfterSent(first[2], &next);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].chunk, 5U);
  EXPECT_EQ(next[0].channel, 0U);
  next.clear();
  first[2].chunk = 9;  // the last of 10 pieces a ring
  schedule.AfterSent(first[2], &next);
  EXPECT_TRUE(next.empty());
}

}  // namespace
}  // namespace heddle
