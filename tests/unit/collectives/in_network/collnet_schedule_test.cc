// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/collnet_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/in_network/tree_shapes.h"

namespace heddle {
namespace collnet {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr CollNetForm kForms[] = {CollNetForm::kDirect, CollNetForm::kChain};

CollectiveSpec AllReduce(std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = Operation::kAllReduce;
  spec.bytes = bytes;
  return spec;
}

ChunkOptions Cut(std::int64_t bytes, std::int64_t channels) {
  ChunkOptions options;
  options.chunk_bytes = bytes;
  options.collnet_channels = channels;
  return options;
}

void Prove(const GroupShape& shape, std::int64_t bytes, const ChunkOptions& options) {
  for (const CollNetForm form : kForms) {
    ASSERT_EQ(WhyNoCollNet(form, shape), "");
    const CollectiveSpec spec = AllReduce(bytes);
    const CollNetSchedule schedule(form, spec, shape, options);
    SCOPED_TRACE(::testing::Message() << (form == CollNetForm::kChain ? "chain, " : "direct, ")
                                      << schedule.chunk_count() << " pieces");
    for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(schedule, spec, shape, seed);
  }
}

void ProveServers(std::uint32_t servers) {
  for (const std::uint32_t locals : {1U, 3U}) {
    Prove(OneSwitch(servers * locals, locals), 1, {});
    Prove(WithTrees(servers, locals), 4801, Cut(100, 2));
  }
}

TEST(CollNetSchedule, MeansAllReduceForAllSizes) {
  for (std::uint32_t servers = 2; servers <= 12 && !HasFailure(); ++servers) ProveServers(servers);
  ProveServers(22);
}

TEST(CollNetScheduleSlow, MeansAllReduceForLargeSizes) {
  for (const std::uint32_t servers : {33U, 44U, 55U, 64U, 65U}) ProveServers(servers);
}

TEST(CollNetSchedule, AnyNumberOfLocalsPiecesAndChannels) {
  for (std::uint32_t locals = 1; locals <= 8; ++locals) {
    for (const std::int64_t piece : {37, 1000}) {
      for (const std::int64_t channels : {1, 16})
        Prove(WithTrees(5, locals), 3203, Cut(piece, channels));
    }
  }
}

/// In the low-latency mode of switches.
GroupShape WithOperations(GroupShape shape, std::uint32_t bytes, std::uint32_t under_way) {
  shape.CutSums({bytes, under_way});
  return shape;
}

TEST(CollNetSchedule, MeansAllReduceByOperations) {
  for (std::uint32_t servers = 2; servers <= 9; ++servers) {
    for (const std::uint32_t locals : {1U, 3U}) {
      for (const std::uint32_t under_way : {1U, 3U, 64U}) {
        const GroupShape shape = WithOperations(WithTrees(servers, locals), 30, under_way);
        Prove(shape, 4801, Cut(100, 2));
        Prove(shape, 1, {});
        Prove(WithOperations(OneSwitch(servers * locals, locals), 1000, under_way), 4801, {});
      }
    }
  }
}

/// Slices of 1,000 bytes in pieces of 100 and operations of 30: four of 25 bytes a piece.
TEST(CollNetSchedule, KeepsAWindowOfOperations) {
  const GroupShape shape = WithOperations(OneSwitch(4, 2), 30, 6);
  const CollNetSchedule schedule(CollNetForm::kDirect, AllReduce(2 * 1000), shape, Cut(100, 2));
  ASSERT_EQ(schedule.chunk_count(), 40U);
  std::vector<GroupFlow> first, sent, after;
  schedule.Begin(1, &first);
  ASSERT_EQ(first.size(), 4U) << "pieces, as in streaming mode";
  EXPECT_EQ(first[1].bytes, 100);
  schedule.After(first[1], &sent);
  ASSERT_EQ(sent.size(), 4U) << "the second piece's operations";
  EXPECT_EQ(sent[0].chunk, 4U);
  EXPECT_EQ(sent[0].bytes, 25);
  EXPECT_EQ(schedule.ParentCount(sent[1]), 1U) << "the peer's part";
  EXPECT_EQ(schedule.ParentCount(sent[2]), 2U) << "and a result, that of the first operation";
  EXPECT_FALSE(sent[1].answers);
  EXPECT_TRUE(sent[2].answers);
  schedule.Parents(sent[2], &after);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[1].connection, Connection::kCollNetDown);
  EXPECT_EQ(after[1].chunk, 0U);
}

/// NCCL's table: 2 (g - 1) / g of the buffer out of a GPU's NVLinks and into them, 1 / g at its
/// NIC; a tree's link carries a slice each way.
TEST(CollNetSchedule, MovesTheVolumesOfNccl) {
  constexpr std::int64_t kBytes = 8 * 4096, kSlice = kBytes / 8;
  for (const std::uint32_t operation : {0U, 100U}) {
    for (const CollNetForm form : kForms) {
      const GroupShape shape = WithOperations(WithTrees(6, 8), operation, 4);
      std::map<Participant, std::int64_t> inside_out, inside_in, net_out, net_in;
      std::map<std::pair<Participant, Participant>, std::int64_t> links;
      CollNetSchedule(form, AllReduce(kBytes), shape, Cut(512, 16))
          .ForEach([&](const GroupFlow& flow) {
            const bool net = shape.adds(flow.source) || shape.adds(flow.destination);
            (net ? net_out : inside_out)[flow.source] += flow.bytes;
            (net ? net_in : inside_in)[flow.destination] += flow.bytes;
            if (net) links[{flow.source, flow.destination}] += flow.bytes;
          });
      for (Participant rank = 0; rank < shape.ranks(); ++rank) {
        EXPECT_EQ(inside_out[rank], 14 * kSlice);
        EXPECT_EQ(inside_in[rank], 14 * kSlice);
        EXPECT_EQ(net_out[rank], kSlice);
        EXPECT_EQ(net_in[rank], kSlice);
      }
      std::size_t ends = 0;
      for (std::uint32_t l = 0; l < 8; ++l) ends += 6 + shape.tree(l).switches.size() - 1;
      EXPECT_EQ(links.size(), 2 * ends);
      for (const auto& [ends_of, bytes] : links) EXPECT_EQ(bytes, kSlice);
    }
  }
}

/// The largest number of messages of other GPUs of its server that a GPU adds to one piece.
TEST(CollNetSchedule, ADirectHeadAddsAllAndALinkOfAChainAddsOne) {
  const GroupShape shape = OneSwitch(8, 4);
  for (const CollNetForm form : kForms) {
    const CollNetSchedule schedule(form, AllReduce(4000), shape, {});
    std::map<std::pair<Participant, std::uint32_t>, int> added;
    schedule.ForEach([&](const GroupFlow& flow) {
      if (flow.connection == Connection::kTreeUp) ++added[{flow.destination, flow.channel}];
    });
    for (const auto& [who, count] : added) EXPECT_EQ(count, form == CollNetForm::kDirect ? 3 : 1);
  }
}

TEST(CollNetSchedule, KeepsAWindowOfPieces) {
  const GroupShape shape = OneSwitch(4, 2);
  const CollNetSchedule schedule(CollNetForm::kDirect, AllReduce(2 * 1000), shape, Cut(100, 2));
  ASSERT_EQ(schedule.chunk_count(), 10U);
  std::vector<GroupFlow> first, after;
  schedule.Begin(0, &first);
  ASSERT_EQ(first.size(), 4U) << "two channels in two phases; its own slice begins at its peer";
  for (const GroupFlow& flow : first) EXPECT_EQ(flow.destination, 1U);
  GroupFlow result = first[1];
  std::swap(result.source, result.destination);
  result.connection = Connection::kTreeDown;
  schedule.After(result, &after);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].chunk, 5U);
}

/// NCCL's rules: 512 KiB of the direct form, 256 KiB of the chain, halved for small buffers.
TEST(CollNetSchedule, CutsAsNcclDoes) {
  const auto direct = [](std::int64_t bytes) {
    return CollNetPiece(CollNetForm::kDirect, bytes, 8, {}) / kKiB;
  };
  constexpr std::int64_t kMiB = kKiB * kKiB;
  EXPECT_EQ(direct(8192 * kMiB), 512) << "128 times 128 pieces of 512 KiB";
  EXPECT_EQ(direct(8192 * kMiB - 1), 256);
  EXPECT_EQ(direct(4096 * kMiB - 1), 128);
  EXPECT_EQ(direct(256 * kMiB), 128) << "16 times 128 pieces of 128 KiB";
  EXPECT_EQ(direct(256 * kMiB - 1), 64);
  EXPECT_EQ(direct(128 * kMiB - 1), 32);
  EXPECT_EQ(direct(1), 32);
  const auto chain = [](std::int64_t bytes) {
    return CollNetPiece(CollNetForm::kChain, bytes, 8, {}) / kKiB;
  };
  EXPECT_EQ(chain(2048 * kMiB), 256) << "512 times 16 pieces of 256 KiB";
  EXPECT_EQ(chain(2048 * kMiB - 1), 128);
  EXPECT_EQ(chain(128 * kMiB - 1), 64);
  EXPECT_EQ(chain(8 * kMiB - 1), 32);
}

TEST(CollNetSchedule, SaysWhyItCannot) {
  GroupShape one_server(8, 8);
  EXPECT_NE(WhyNoCollNet(CollNetForm::kDirect, one_server).find("in one server"),
            std::string::npos);
  GroupShape uneven(9, 8);
  EXPECT_NE(WhyNoCollNet(CollNetForm::kChain, uneven).find("some servers have more"),
            std::string::npos);
  GroupShape many(32, 16);
  EXPECT_NE(WhyNoCollNet(CollNetForm::kChain, many).find("at most 8"), std::string::npos);
  GroupShape no_trees(16, 8);
  EXPECT_EQ(WhyNoCollNet(CollNetForm::kChain, no_trees), no_trees.why_no_trees());
  GroupShape no_nvswitch(16, 8, 0);
  no_nvswitch.AddTreesOfOneSwitch();
  EXPECT_NE(WhyNoCollNet(CollNetForm::kDirect, no_nvswitch).find("collnet_chain"),
            std::string::npos);
  EXPECT_EQ(WhyNoCollNet(CollNetForm::kChain, no_nvswitch), "");
}

}  // namespace
}  // namespace collnet
}  // namespace heddle
