// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/make_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/choice/algorithm_choice.h"
#include "tests/unit/collectives/algorithms/symbolic_collective.h"

namespace heddle {
namespace {

CollectiveSpec SpecOf(Operation operation, GroupType group = GroupType::kTensor,
                      std::int64_t bytes = 1 << 20) {
  CollectiveSpec spec;
  spec.operation = operation;
  spec.group = group;
  spec.bytes = bytes;
  return spec;
}

TEST(MakeSchedule, NothingToDoForOne) {
  const GroupShape shape(1, 8);
  EXPECT_EQ(MakeSchedule(SpecOf(Operation::kAllReduce), {}, shape, {}), nullptr);
}

TEST(MakeSchedule, EveryAlgorithmMeansWhatItShould) {
  for (const std::uint32_t ranks : {2U, 8U, 12U}) {
    const GroupShape shape(ranks, 4);
    for (const Operation operation :
         {Operation::kAllReduce, Operation::kAllGather, Operation::kReduceScatter,
          Operation::kAllToAll, Operation::kBroadcast, Operation::kReduce, Operation::kSendRecv}) {
      for (const char* name : {"auto", "ring", "tree", "nvls"}) {
        CollectiveOptions options;
        options.pxn = true;
        options.allreduce = name;
        options.allgather = options.reducescatter = std::string(name) == "tree" ? "ring" : name;
        const CollectiveSpec spec = SpecOf(operation, GroupType::kData, 10007);
        const auto schedule =
            MakeSchedule(spec, ChooseAlgorithm(spec, shape, "A100", options), shape, options);
        ASSERT_NE(schedule, nullptr);
        SCOPED_TRACE(name);
        CheckSchedule(*schedule, spec, shape, 3);
      }
    }
  }
}

TEST(MakeSchedule, OptionsOfPiecesHaveAnEffect) {
  const GroupShape one(8, 8), two(16, 8);
  CollectiveOptions options;
  const auto pieces = [&](Algorithm algorithm, const GroupShape& shape) {
    return MakeSchedule(SpecOf(Operation::kAllReduce), {algorithm}, shape, options)->chunk_count();
  };
  const auto begun = [&](Algorithm algorithm, const GroupShape& shape) {
    std::vector<GroupFlow> first;
    MakeSchedule(SpecOf(Operation::kAllReduce), {algorithm}, shape, options)->Begin(1, &first);
    return first.size();
  };
  const auto pat = [&] {
    const CollectiveSpec spec = SpecOf(Operation::kAllGather);
    return MakeSchedule(spec, {Algorithm::kPat}, GroupShape(16, 1), options)->chunk_count();
  };
  EXPECT_EQ(pat(), 15U);  // blocks of 64 KiB
  options.chunk_bytes = 32'768;
  EXPECT_EQ(pat(), 30U);
  options.chunk_bytes = 2 << 20;
  EXPECT_EQ(pat(), 15U) << "a small buffer has chunks of 64 KiB";
  options.chunk_bytes = ChunkOptions().chunk_bytes;
  EXPECT_EQ(pieces(Algorithm::kNvls, one), 4U);
  options.nvls_chunks = 9;
  EXPECT_EQ(pieces(Algorithm::kNvls, one), 9U);
  EXPECT_EQ(pieces(Algorithm::kTree, two), 1U);  // 1 MiB over 16 channels
  options.chunk_bytes = 8192;
  EXPECT_EQ(pieces(Algorithm::kTree, two), 8U);
  EXPECT_EQ(pieces(Algorithm::kNvlsTree, two), 16U);  // over 8 channels
  for (const Algorithm algorithm : {Algorithm::kTree, Algorithm::kNvlsTree}) {
    options.chunks_in_flight = 1;
    const std::size_t one_each = begun(algorithm, two);
    options.chunks_in_flight = 3;
    EXPECT_EQ(begun(algorithm, two), 3 * one_each);
  }
}

}  // namespace
}  // namespace heddle
