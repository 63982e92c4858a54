// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/in_network/multimem_schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

constexpr Operation kOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                     Operation::kReduceScatter};
constexpr std::int64_t kKiB = 1024;

CollectiveSpec SpecOf(Operation operation, std::int64_t bytes) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.bytes = bytes;
  return spec;
}

ChunkOptions Cut(std::int64_t bytes, std::int64_t channels) {
  ChunkOptions options;
  options.multimem_bytes = bytes;
  options.multimem_channels = channels;
  return options;
}

void Prove(const GroupShape& shape, std::int64_t bytes, const ChunkOptions& options) {
  for (const Operation operation : kOperations) {
    const CollectiveSpec spec = SpecOf(operation, bytes);
    const MultimemSchedule schedule(spec, shape, options);
    SCOPED_TRACE(::testing::Message()
                 << shape.nvswitches(0) << " NVSwitches, " << schedule.chunk_count() << " pieces");
    for (const std::uint64_t seed : {0, 1, 7}) CheckSchedule(schedule, spec, shape, seed);
  }
}

void ProveRanks(std::uint32_t ranks) {
  for (const std::uint32_t nvswitches : {1U, 3U}) {
    const GroupShape shape(ranks, ranks, nvswitches);
    Prove(shape, 1, {});
    Prove(shape, 4801, Cut(100, 2));
  }
}

TEST(MultimemSchedule, MeansTheOperationForAllSizes) {
  for (std::uint32_t ranks = 2; ranks <= 20 && !HasFailure(); ++ranks) ProveRanks(ranks);
  ProveRanks(33);
}

TEST(MultimemScheduleSlow, MeansTheOperationForLargeSizes) {
  for (const std::uint32_t ranks : {22U, 44U, 55U, 63U, 64U, 65U}) ProveRanks(ranks);
}

TEST(MultimemSchedule, AnyNumberOfPiecesAndChannels) {
  for (const std::int64_t piece : {7, 37, 1000, 100'000}) {
    for (const std::int64_t channels : {1, 2, 16}) {
      for (const std::uint32_t nvswitches : {1U, 2U, 6U})
        Prove(GroupShape(6, 6, nvswitches), 503, Cut(piece, channels));
    }
  }
}

/// NCCL's table: AllReduce B + B/g out of and into a GPU, AllGather B/g and B, ReduceScatter B and
/// B/g.
TEST(MultimemSchedule, MovesTheVolumesOfNccl) {
  constexpr std::int64_t kBytes = 8 * 4096, kSlice = kBytes / 8;
  for (const std::uint32_t nvswitches : {1U, 4U}) {
    const GroupShape shape(8, 8, nvswitches);
    for (const auto& [operation, out, in] :
         {std::make_tuple(Operation::kAllReduce, kBytes + kSlice, kBytes + kSlice),
          std::make_tuple(Operation::kAllGather, kSlice, kBytes),
          std::make_tuple(Operation::kReduceScatter, kBytes, kSlice)}) {
      std::map<Participant, std::int64_t> sent, got;
      MultimemSchedule(SpecOf(operation, kBytes), shape, Cut(512, 16))
          .ForEach([&](const GroupFlow& flow) {
            sent[flow.source] += flow.bytes;
            got[flow.destination] += flow.bytes;
          });
      for (Participant rank = 0; rank < 8; ++rank) {
        EXPECT_EQ(sent[rank], out) << ToText(operation);
        EXPECT_EQ(got[rank], in) << ToText(operation);
      }
      for (std::uint32_t k = 0; k < nvswitches; ++k) {
        EXPECT_EQ(got[shape.nvswitch(0, k)], 8 * out / nvswitches) << ToText(operation);
        EXPECT_EQ(sent[shape.nvswitch(0, k)], 8 * in / nvswitches) << ToText(operation);
      }
    }
  }
}

TEST(MultimemSchedule, KeepsAsManyPiecesUnderWayAsChannels) {
  const GroupShape shape(8, 8);
  const MultimemSchedule reduce(SpecOf(Operation::kAllReduce, 8 * 1000), shape, Cut(100, 3));
  EXPECT_EQ(reduce.chunk_count(), 10U);
  std::vector<GroupFlow> first, after;
  reduce.Begin(2, &first);
  ASSERT_EQ(first.size(), 3U);
  GroupFlow sum = first[0];
  std::swap(sum.source, sum.destination);
  sum.connection = Connection::kNvlsPull;
  reduce.After(sum, &after);
  ASSERT_EQ(after.size(), 2U) << "the store of piece 0, and the request for piece 3";
  EXPECT_EQ(after[0].connection, Connection::kNvlsStore);
  EXPECT_EQ(after[1].connection, Connection::kNvlsRequest);
  EXPECT_EQ(after[1].chunk, 3U);

  const MultimemSchedule gather(SpecOf(Operation::kAllGather, 8 * 1000), shape, Cut(100, 3));
  first.clear();
  after.clear();
  gather.Begin(2, &first);
  ASSERT_EQ(first.size(), 3U);
  gather.AfterSent(first[1], &after);
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].chunk, 4U);
}

/// NCCL's rule for 16 channels and 8 heads: 128 pieces at once.
TEST(MultimemSchedule, CutsAsNcclDoes) {
  const auto piece = [](std::int64_t bytes) { return MultimemPiece(bytes, 8, {}) / kKiB; };
  EXPECT_EQ(piece(kKiB * kKiB * kKiB), 128) << "64 times 128 pieces of 128 KiB";
  EXPECT_EQ(piece(kKiB * kKiB * kKiB - 1), 64);
  EXPECT_EQ(piece(64 * kKiB * kKiB), 64) << "8 times 128 pieces of 64 KiB";
  EXPECT_EQ(piece(64 * kKiB * kKiB - 1), 32);
  EXPECT_EQ(piece(8 * kKiB * kKiB), 32) << "twice 128 pieces of 32 KiB";
  EXPECT_EQ(piece(8 * kKiB * kKiB - 1), 16);
  EXPECT_EQ(piece(1), 16);
}

TEST(MultimemSchedule, OnlyRequestsAndStoresOfGpusWaitForSoftware) {
  const GroupShape shape(4, 4);
  MultimemSchedule(SpecOf(Operation::kAllReduce, 4000), shape, {}).ForEach([&](const GroupFlow& f) {
    const bool software = f.source == f.channel && shape.is_nvswitch(f.destination) &&
                          f.connection != Connection::kNvlsPull;
    EXPECT_EQ(f.answers, !software);
    EXPECT_EQ(f.reduces, f.connection == Connection::kNvlsPull && shape.is_nvswitch(f.destination));
  });
}

}  // namespace
}  // namespace heddle
