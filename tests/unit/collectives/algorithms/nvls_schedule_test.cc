// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/nvls_schedule.h"

#include <gtest/gtest.h>

#include <map>

#include "collectives/schedule/collective_spec.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

constexpr Operation kNvlsOperations[] = {Operation::kAllReduce, Operation::kAllGather,
                                         Operation::kReduceScatter};

void Check(std::uint32_t ranks, std::uint32_t nvswitches, std::int64_t bytes, std::int64_t chunks) {
  const GroupShape shape(ranks, ranks, nvswitches);
  ChunkOptions options;
  options.nvls_chunks = chunks;
  for (const Operation operation : kNvlsOperations) {
    CollectiveSpec spec;
    spec.operation = operation;
    spec.bytes = bytes;
    const auto schedule = MakeNvlsSchedule(operation, bytes, shape, options);
    for (const std::uint64_t seed : {0, 1, 7}) {
      SCOPED_TRACE(::testing::Message() << nvswitches << " NVSwitches, " << chunks << " chunks");
      CheckSchedule(*schedule, spec, shape, seed);
    }
  }
}

TEST(NvlsSchedule, MeansTheOperationForAllSizes) {
  for (std::uint32_t ranks = 2; ranks <= 20; ++ranks) {
    for (const std::uint32_t nvswitches : {1, 2, 4, 6}) {
      for (const std::int64_t bytes : {1, 7, 4801}) Check(ranks, nvswitches, bytes, 4);
    }
  }
  Check(64, 1, 9999, 4);
}

TEST(NvlsSchedule, AnyNumberOfChunks) {
  for (const std::int64_t chunks : {1, 2, 3, 16}) Check(8, 2, 100001, chunks);
}

TEST(NvlsSchedule, SendsWhatSimAiSends) {
  const GroupShape shape(8, 8);
  const auto schedule = MakeNvlsSchedule(Operation::kAllReduce, 1 << 20, shape, ChunkOptions());
  EXPECT_EQ(schedule->flow_count(), 64U);
  EXPECT_EQ(schedule->channels(), 1U);
  EXPECT_EQ(schedule->chunk_count(), 4U);
  int up = 0;
  schedule->ForEach([&](const GroupFlow& flow) {
    EXPECT_EQ(flow.bytes, 262144);
    up += flow.connection == Connection::kNvlsUp ? 1 : 0;
    EXPECT_EQ(schedule->ParentCount(flow), flow.connection == Connection::kNvlsUp ? 0U : 8U);
  });
  EXPECT_EQ(up, 32);
  std::vector<GroupFlow> first, next;
  schedule->Begin(3, &first);
  ASSERT_EQ(first.size(), 1U);  // piece 0; the others follow one by one
  schedule->AfterSent(first[0], &next);
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].chunk, 1U);
}

/// Bytes to and from a rank: for AllReduce B up and down; for AllGather and ReduceScatter B in one
/// direction, and in the other the rank's own slice or all others.
TEST(NvlsSchedule, MovesEveryPartOnce) {
  constexpr std::int64_t kBytes = 8 * 4 * 1000, kPart = kBytes / 8;
  const GroupShape shape(8, 8);
  for (const auto& [operation, up, down] :
       {std::make_tuple(Operation::kAllReduce, kBytes, kBytes),
        std::make_tuple(Operation::kAllGather, kPart, kBytes - kPart),
        std::make_tuple(Operation::kReduceScatter, kBytes - kPart, kPart)}) {
    std::map<Participant, std::int64_t> sent, got;
    MakeNvlsSchedule(operation, kBytes, shape, ChunkOptions())->ForEach([&](const GroupFlow& flow) {
      sent[flow.source] += flow.bytes;
      got[flow.destination] += flow.bytes;
    });
    for (Participant rank = 0; rank < 8; ++rank) {
      EXPECT_EQ(sent[rank], up) << ToText(operation);
      EXPECT_EQ(got[rank], down) << ToText(operation);
    }
  }
}

TEST(NvlsSchedule, NvSwitchesShareTheData) {
  const GroupShape shape(8, 8, 4);
  std::map<Participant, std::int64_t> got;
  MakeNvlsSchedule(Operation::kAllReduce, 1 << 20, shape, ChunkOptions())
      ->ForEach([&](const GroupFlow& flow) { got[flow.destination] += flow.bytes; });
  for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(got[shape.nvswitch(0, k)], 8 * (1 << 20) / 4);
}

}  // namespace
}  // namespace heddle
