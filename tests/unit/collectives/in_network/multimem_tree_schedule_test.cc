// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/multimem_tree_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/in_network/tree_shapes.h"

namespace heddle {
namespace multimem_tree {
namespace {

constexpr AboveHeads kForms[] = {AboveHeads::kSwitches, AboveHeads::kBinaryTrees};
constexpr std::int64_t kKiB = 1024;

CollectiveSpec AllReduce(std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = Operation::kAllReduce;
  spec.bytes = bytes;
  return spec;
}

ChunkOptions Cut(std::int64_t bytes, std::int64_t channels) {
  ChunkOptions options;
  options.multimem_bytes = bytes;
  options.multimem_channels = channels;
  return options;
}

void Prove(AboveHeads above, const GroupShape& shape, std::int64_t bytes,
           const ChunkOptions& options) {
  ASSERT_EQ(WhyNoMultimemTree(above, shape), "");
  const CollectiveSpec spec = AllReduce(bytes);
  const MultimemTreeSchedule schedule(above, spec, shape, options);
  SCOPED_TRACE(::testing::Message()
               << (above == AboveHeads::kSwitches ? "switches, " : "binary trees, ")
               << schedule.chunk_count() << " pieces");
  for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(schedule, spec, shape, seed);
}

void ProveServers(std::uint32_t servers) {
  for (const std::uint32_t locals : {2U, 3U}) {
    for (const AboveHeads above : kForms) {
      Prove(above, WithTrees(servers, locals), 1, {});
      Prove(above, WithTrees(servers, locals), 4801, Cut(300, 1));
    }
  }
}

TEST(MultimemTreeSchedule, MeansAllReduceForAllSizes) {
  for (std::uint32_t servers = 2; servers <= 12 && !HasFailure(); ++servers) ProveServers(servers);
}

TEST(MultimemTreeScheduleSlow, MeansAllReduceForLargeSizes) {
  for (const std::uint32_t servers : {22U, 33U, 44U, 55U, 64U, 65U}) ProveServers(servers);
}

TEST(MultimemTreeSchedule, AnyNumberOfLocalsPiecesAndChannels) {
  for (std::uint32_t locals = 2; locals <= 8; ++locals) {
    for (const std::int64_t piece : {37, 1000}) {
      for (const AboveHeads above : kForms) Prove(above, WithTrees(5, locals), 3203, Cut(piece, 1));
    }
  }
}

/// The smallest server has as many heads as there are slices; others have GPUs beside theirs.
TEST(MultimemTreeSchedule, ServersOfSeveralSizesAndNvSwitches) {
  for (const std::uint32_t nvswitches : {1U, 3U}) {
    for (const std::uint32_t ranks : {7U, 11U, 14U})
      Prove(AboveHeads::kBinaryTrees, GroupShape(ranks, 4, nvswitches), 2003, Cut(100, 1));
  }
}

/// NCCL's table: B + B / g out of a GPU's NVLinks and into them. NIC: with switches B / g each way;
/// with two trees at most 2 B / g, and 2 B / g summed over two servers that are each other's.
TEST(MultimemTreeSchedule, MovesTheVolumesOfNccl) {
  constexpr std::int64_t kBytes = 8 * 4096, kSlice = kBytes / 8;
  const GroupShape shape = WithTrees(6, 8);
  for (const AboveHeads above : kForms) {
    std::map<Participant, std::int64_t> inside_out, inside_in, net_out, net_in;
    MultimemTreeSchedule(above, AllReduce(kBytes), shape, Cut(512, 16))
        .ForEach([&](const GroupFlow& flow) {
          const bool net = flow.connection != Connection::kNvlsRequest &&
                           flow.connection != Connection::kNvlsPull &&
                           flow.connection != Connection::kNvlsStore;
          (net ? net_out : inside_out)[flow.source] += flow.bytes;
          (net ? net_in : inside_in)[flow.destination] += flow.bytes;
        });
    std::int64_t all = 0;
    for (Participant rank = 0; rank < shape.ranks(); ++rank) {
      EXPECT_EQ(inside_out[rank], kBytes + kSlice);
      EXPECT_EQ(inside_in[rank], kBytes + kSlice);
      all += net_out[rank];
      if (above == AboveHeads::kSwitches) {
        EXPECT_EQ(net_out[rank], kSlice);
        EXPECT_EQ(net_in[rank], kSlice);
      } else {
        EXPECT_LE(net_out[rank], 2 * kSlice);
        EXPECT_EQ(net_in[rank], net_out[rank]) << "every link goes up and down";
      }
    }
    // Five links in a tree of six servers, each way.
    if (above == AboveHeads::kSwitches) continue;
    EXPECT_EQ(all, 8 * 2 * 5 * kSlice);
  }
}

TEST(MultimemTreeSchedule, KeepsEightPiecesAChannelUnderWay) {
  const GroupShape shape = WithTrees(2, 2);
  const MultimemTreeSchedule schedule(AboveHeads::kSwitches, AllReduce(2 * 2000), shape,
                                      Cut(100, 2));
  ASSERT_EQ(schedule.chunk_count(), 20U);
  std::vector<GroupFlow> first, after;
  schedule.Begin(1, &first);
  ASSERT_EQ(first.size(), 16U);
  GroupFlow result;
  result.source = shape.in_tree(1, 1);
  result.destination = 1;
  result.channel = 1;
  result.chunk = 2;
  result.connection = Connection::kCollNetDown;
  schedule.After(result, &after);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0].connection, Connection::kNvlsStore);
  EXPECT_EQ(after[1].connection, Connection::kNvlsRequest);
  EXPECT_EQ(after[1].chunk, 18U);
}

/// NCCL's rules: NVLS's with switches; with trees over four servers or more 64 KiB, halved for
/// buffers of few pieces.
TEST(MultimemTreeSchedule, CutsAsNcclDoes) {
  constexpr std::int64_t kGib = kKiB * kKiB * kKiB, kMany = 16 * 8;
  const GroupShape two = WithTrees(2, 8), four = WithTrees(4, 8);
  EXPECT_EQ(MultimemTreePiece(AboveHeads::kSwitches, kGib, four, {}), 128 * kKiB);
  EXPECT_EQ(MultimemTreePiece(AboveHeads::kBinaryTrees, kGib, two, {}), 128 * kKiB);
  EXPECT_EQ(MultimemTreePiece(AboveHeads::kBinaryTrees, kGib, four, {}), 64 * kKiB);
  EXPECT_EQ(MultimemTreePiece(AboveHeads::kBinaryTrees, kMany * 64 * kKiB - 1, four, {}),
            MultimemTreePiece(AboveHeads::kSwitches, kMany * 64 * kKiB - 1, four, {}));
}

TEST(MultimemTreeSchedule, SaysWhyItCannot) {
  const auto why = [](const GroupShape& shape, AboveHeads above) {
    return WhyNoMultimemTree(above, shape);
  };
  EXPECT_NE(why(GroupShape(8, 8), AboveHeads::kBinaryTrees).find("in one server"),
            std::string::npos);
  EXPECT_NE(why(GroupShape(9, 8), AboveHeads::kBinaryTrees).find("one GPU of the group"),
            std::string::npos);
  EXPECT_NE(why(GroupShape(16, 8, 0), AboveHeads::kBinaryTrees).find("no NVSwitch"),
            std::string::npos);
  const GroupShape no_trees(16, 8);
  EXPECT_EQ(why(no_trees, AboveHeads::kBinaryTrees), "");
  EXPECT_EQ(why(no_trees, AboveHeads::kSwitches), no_trees.why_no_trees());
}

}  // namespace
}  // namespace multimem_tree
}  // namespace heddle
