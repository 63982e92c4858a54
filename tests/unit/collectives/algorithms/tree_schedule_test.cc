// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/tree_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "collectives/schedule/collective_spec.h"
#include "collectives/trees/spanning_trees.h"
#include "tests/unit/collectives/algorithms/irregular_groups.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

ChunkOptions SmallPieces() {
  ChunkOptions options;
  options.chunk_bytes = 100;
  return options;
}

void Check(const GroupShape& shape, std::int64_t bytes, const ChunkOptions& options) {
  CollectiveSpec spec;
  spec.bytes = bytes;
  const auto schedule = MakeTreeSchedule(bytes, Protocol::kSimple, shape, options);
  SCOPED_TRACE(::testing::Message() << shape.servers() << " servers");
  for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(*schedule, spec, shape, seed);
}

TEST(TreeSchedule, ReducesOverGroupsOfAllSizes) {
  for (std::uint32_t ranks = 2; ranks <= 20; ++ranks) {
    for (const std::uint32_t gpus_per_server : {1, 2, 3, 4, 8}) {
      for (const std::int64_t bytes : {1, 7, 4801})
        Check(GroupShape(ranks, gpus_per_server), bytes, SmallPieces());
    }
  }
}

TEST(TreeSchedule, ReducesOverLargeGroups) {
  for (const std::uint32_t gpus_per_server : {1, 4, 8}) {
    Check(GroupShape(32, gpus_per_server), 9999, SmallPieces());
    Check(GroupShape(64, gpus_per_server), 9999, SmallPieces());
  }
}

TEST(TreeSchedule, ServersMayHaveDifferentNumbersOfRanksInAnyOrder) {
  const Graph fabric = FabricForGroups();
  for (const GroupShape& group : IrregularGroups(fabric)) Check(group, 4801, SmallPieces());
}

TEST(TreeSchedule, AnyNumberOfPiecesMayBeUnderWay) {
  for (const std::int64_t in_flight : {1, 2, 3, 100}) {
    ChunkOptions options = SmallPieces();
    options.chunks_in_flight = in_flight;
    Check(GroupShape(12, 4), 8 * 570, options);
  }
}

TEST(TreeSchedule, LeavesBeginWithAsManyPiecesAsMayBeUnderWay) {
  const GroupShape shape(2, 1);
  ChunkOptions options = SmallPieces();
  options.chunks_in_flight = 3;
  const auto schedule =
      MakeTreeSchedule(2 * 1000, Protocol::kSimple, shape, options);  // two channels of ten pieces
  EXPECT_EQ(schedule->chunk_count(), 10U);
  std::vector<GroupFlow> first;
  schedule->Begin(1, &first);
  EXPECT_EQ(first.size(), 3U);  // those of the channel in which it is a leaf
}

/// Every GPU sends and receives as much as in a ring, 2 B (n - 1) / n, within a factor that hardly
/// depends on n.
TEST(TreeSchedule, TwoTreesShareTheWorkOfTheServers) {
  const GroupShape shape(64, 8);
  constexpr std::int64_t kBytes = 1 << 20;
  const auto schedule = MakeTreeSchedule(kBytes, Protocol::kSimple, shape, ChunkOptions());
  EXPECT_EQ(schedule->channels(), 16U);
  std::map<Participant, std::int64_t> between;  // sent over the network
  schedule->ForEach([&](const GroupFlow& flow) {
    if (shape.server_of(flow.source) != shape.server_of(flow.destination))
      between[flow.source] += flow.bytes;
  });
  // A GPU heads two channels of B/16; an inner node with two children sends a channel up once and
  // down twice, a leaf up once.
  for (const auto& [rank, bytes] : between) EXPECT_LE(bytes, 4 * kBytes / 16) << rank;
}

TEST(TreeSchedule, ServersAreInnerNodesOfOneTreeOnly) {
  const GroupShape shape(32, 4);
  const auto trees = MakeChainTrees(shape);
  ASSERT_EQ(trees->channels(), 8U);
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    for (std::uint32_t l = 0; l < 4; ++l) {
      const Participant head = shape.local(server, l);
      // One child is the next rank of the chain.
      EXPECT_NE(trees->ChildCount(2 * l, head) > 1, trees->ChildCount(2 * l + 1, head) > 1)
          << server;
    }
  }
}

TEST(TreeSchedule, OneServerIsChainsWithEveryRankAsRootOnce) {
  const GroupShape shape(8, 8);
  const auto trees = MakeChainTrees(shape);
  ASSERT_EQ(trees->channels(), 8U);
  std::set<Participant> roots;
  for (std::uint32_t channel = 0; channel < 8; ++channel) {
    for (Participant rank = 0; rank < 8; ++rank) {
      EXPECT_LE(trees->ChildCount(channel, rank), 1U);
      if (trees->Parent(channel, rank) == GroupShape::kNone) roots.insert(rank);
    }
  }
  EXPECT_EQ(roots.size(), 8U);
}

/// NCCL 2.30, for 16 servers of eight GPUs and 16 channels: docs/studies/nccl_tuner.md.
TEST(TreePiece, Ll128HalvesNcclsWhileThereAreFew) {
  const GroupShape shape(128, 8);
  ChunkOptions options;
  const auto piece = [&](std::int64_t kib, Protocol protocol) {
    return TreePiece(kib << 10, protocol, shape, 16, options);
  };
  EXPECT_EQ(piece(512, Protocol::kLl128), options.chunk_bytes);
  options.small_pieces = true;
  EXPECT_EQ(piece(512, Protocol::kLl128), 18'000);
  EXPECT_EQ(piece(4096, Protocol::kLl128), 18'000);
  EXPECT_EQ(piece(32 << 10, Protocol::kLl128), 72'000);
  EXPECT_EQ(piece(std::int64_t{4} << 20, Protocol::kLl128), options.chunk_bytes);
  EXPECT_EQ(piece(4096, Protocol::kSimple), options.chunk_bytes);
  EXPECT_EQ(piece(4096, Protocol::kLl), options.chunk_bytes);
}

}  // namespace
}  // namespace heddle
