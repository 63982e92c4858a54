// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/collnet_parts_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"
#include "tests/unit/collectives/in_network/tree_shapes.h"

namespace heddle {
namespace collnet_parts {
namespace {

constexpr Operation kOperations[] = {Operation::kAllGather, Operation::kReduceScatter};

CollectiveSpec SpecOf(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
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
  for (const Operation operation : kOperations) {
    const CollectiveSpec spec = SpecOf(operation, bytes);
    const CollNetPartsSchedule schedule(spec, shape, options);
    SCOPED_TRACE(::testing::Message()
                 << (operation == Operation::kAllGather ? "AllGather, " : "ReduceScatter, ")
                 << schedule.chunk_count() << " parts, " << schedule.groups() << " groups");
    for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(schedule, spec, shape, seed);
  }
}

/// Blocks in pieces, and blocks in groups.
void ProveServers(std::uint32_t servers) {
  for (const std::uint32_t locals : {1U, 3U}) {
    Prove(OneSwitch(servers * locals, locals), 1, {});
    Prove(WithTrees(servers, locals), 4801, Cut(4801 / (servers * locals) / 2, 1));
    Prove(WithTrees(servers, locals), 4801, Cut(3 * 4801 / (servers * locals), 1));
  }
}

TEST(CollNetPartsSchedule, MeansAllGatherAndReduceScatterForAllSizes) {
  for (std::uint32_t servers = 2; servers <= 12 && !HasFailure(); ++servers) ProveServers(servers);
  ProveServers(22);
}

TEST(CollNetPartsScheduleSlow, MeansAllGatherAndReduceScatterForLargeSizes) {
  for (const std::uint32_t servers : {33U, 44U, 55U, 64U, 65U}) ProveServers(servers);
}

TEST(CollNetPartsSchedule, AnyNumberOfLocalsPartsAndChannels) {
  for (std::uint32_t locals = 1; locals <= 8; ++locals) {
    for (const std::int64_t piece : {17, 37, 1000}) {
      for (const std::int64_t channels : {1, 2, 16})
        Prove(WithTrees(5, locals), 3203, Cut(piece, channels));
    }
  }
}

/// NCCL's table: (g - 1) / g of the buffer out of a GPU's NVLinks and into them; at its NIC B / g
/// and B / N. A link of a tree carries a rail one way, and the other way what is owned below it.
TEST(CollNetPartsSchedule, MovesTheVolumesOfNccl) {
  constexpr std::int64_t kBytes = 6 * 8 * 1024, kRail = kBytes / 8, kBlock = kBytes / 48;
  const GroupShape shape = WithTrees(6, 8);
  for (const Operation operation : kOperations) {
    const bool gathers = operation == Operation::kAllGather;
    std::map<Participant, std::int64_t> inside_out, inside_in;
    std::map<std::pair<Participant, Participant>, std::int64_t> up, down;
    CollNetPartsSchedule(SpecOf(operation, kBytes), shape, Cut(512, 16))
        .ForEach([&](const GroupFlow& flow) {
          if (flow.connection == Connection::kCollNetUp) {
            up[{flow.source, flow.destination}] += flow.bytes;
          } else if (flow.connection == Connection::kCollNetDown) {
            down[{flow.destination, flow.source}] += flow.bytes;
          } else {
            inside_out[flow.source] += flow.bytes;
            inside_in[flow.destination] += flow.bytes;
          }
        });
    for (Participant rank = 0; rank < shape.ranks(); ++rank) {
      EXPECT_EQ(inside_out[rank], 7 * kRail);
      EXPECT_EQ(inside_in[rank], 7 * kRail);
    }
    std::size_t ends = 0;
    for (std::uint32_t l = 0; l < 8; ++l) ends += 6 + shape.tree(l).switches.size() - 1;
    EXPECT_EQ(up.size(), ends);
    EXPECT_EQ(down.size(), ends);
    // Two servers below a leaf.
    for (const auto& [ends_of, bytes] : gathers ? up : down)
      EXPECT_EQ(bytes, shape.adds(ends_of.first) ? 2 * kBlock : kBlock);
    for (const auto& [ends_of, bytes] : gathers ? down : up) EXPECT_EQ(bytes, kRail);
  }
}

/// A head of an AllGather sends the next part when an earlier one has come back; a GPU of a
/// ReduceScatter sends the next group to the heads when one of its own rail has left.
TEST(CollNetPartsSchedule, KeepsAWindowOfGroups) {
  const GroupShape shape = OneSwitch(4, 2);
  const ChunkOptions options = Cut(100, 1);
  const CollNetPartsSchedule gather(SpecOf(Operation::kAllGather, 4 * 500), shape, options);
  ASSERT_EQ(gather.chunk_count(), 10U) << "blocks of five pieces";
  std::vector<GroupFlow> first, after;
  gather.Begin(0, &first);
  ASSERT_EQ(first.size(), 2U) << "a channel in two phases";
  gather.Begin(2, &after);
  EXPECT_TRUE(after.empty()) << "the second server's block follows the first's";
  GroupFlow came = first[0];
  std::swap(came.source, came.destination);
  came.connection = Connection::kCollNetDown;
  gather.After(came, &after);
  ASSERT_EQ(after.size(), 2U) << "a copy, and the next part";
  EXPECT_EQ(after[0].connection, Connection::kTreeDown);
  EXPECT_EQ(after[1].chunk, 2U);

  const CollNetPartsSchedule scatter(SpecOf(Operation::kReduceScatter, 4 * 500), shape, options);
  first.clear(), after.clear();
  scatter.Begin(0, &first);
  ASSERT_EQ(first.size(), 2U);
  for (const GroupFlow& flow : first) EXPECT_EQ(flow.destination, 1U);
  GroupFlow left;
  left.source = 0;
  left.destination = shape.in_tree(0, 0);
  left.connection = Connection::kCollNetUp;
  scatter.AfterSent(left, &after);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].destination, 1U);
  EXPECT_EQ(after[0].chunk, 2U);
}

/// Small blocks travel as parts of their own, and share what goes on within the servers.
TEST(CollNetPartsSchedule, SmallBlocksMakeAGroup) {
  const GroupShape shape = WithTrees(8, 2);
  const CollNetPartsSchedule gather(SpecOf(Operation::kAllGather, 16 * 100), shape, Cut(350, 16));
  EXPECT_EQ(gather.chunk_count(), 8U);
  EXPECT_EQ(gather.groups(), 3U) << "three blocks of 100 bytes, and a last group of two";
}

}  // namespace
}  // namespace collnet_parts
}  // namespace heddle
