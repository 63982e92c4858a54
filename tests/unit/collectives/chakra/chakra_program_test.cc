// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/chakra/chakra_program.h"

#include <gtest/gtest.h>

#include "tests/support/chakra/chakra_programs.h"
#include "tests/support/message_of.h"

namespace heddle::testing {
namespace {

using Ranks = std::vector<std::uint32_t>;
constexpr const char* kGroups = R"({"1": [2, 0], "2": [1, 3]})";

const GraphNode& NodeOf(const Job& job, std::uint32_t rank, std::uint32_t node) {
  return job.program.graph->ranks[rank].nodes[node];
}
std::string Refusal(const std::string& text, const ChakraOptions& options = {}) {
  return MessageOf([&] { TraceJob(text, options, kGroups); });
}

TEST(ChakraProgram, TheNthCollectivesOfAGroupAreOne) {
  const Job job = TraceJob(
      "ranks 4\n*: 1 coll ALL_REDUCE 100\n*: 2 coll ALL_GATHER 10\n0: 3 coll ALL_TO_ALL 7 group 1\n"
      "2: 9 coll ALL_TO_ALL 7 group 1\n",
      {}, kGroups);
  const std::vector<ProgramOp>& ops = job.program.ops;
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].spec.operation, Operation::kAllReduce);
  EXPECT_EQ(ops[0].spec.bytes, 100);
  EXPECT_EQ(ops[0].spec.group, GroupType::kListed);
  EXPECT_EQ(ops[1].spec.bytes, 40);  // all that a rank has in the end
  EXPECT_EQ(job.program.lists.Members(ops[0].list), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(job.program.lists.Members(ops[2].list), (Ranks{2, 0}));
  EXPECT_EQ(job.program.lists.RankIn(ops[2].list, 0), 1u);
  EXPECT_EQ(job.program.lists.RankIn(ops[2].list, 1), GroupLists::kNone);
  EXPECT_EQ(NodeOf(job, 0, 2).operation, 2u);
  EXPECT_EQ(NodeOf(job, 2, 2).operation, 2u);
}

TEST(ChakraProgram, CollectivesOfAGroupFollowEachOther) {
  const std::string text =
      "ranks 2\n*: 1 coll ALL_REDUCE 8\n*: 2 coll ALL_REDUCE 8\n*: 3 comp 1\n*: 4 coll REDUCE 9\n";
  const Job job = TraceJob(text);
  EXPECT_EQ(NodeOf(job, 0, 0).waits, 0u);
  EXPECT_EQ(NodeOf(job, 0, 1).waits, 1u);
  EXPECT_EQ(NodeOf(job, 0, 3).waits, 1u);
  EXPECT_EQ(job.program.graph->ranks[0].followers, (Ranks{1, 3}));
  // In ASTRA-sim the one slot keeps them apart.
  EXPECT_EQ(NodeOf(TraceJob(text, AsAstraSim()), 0, 3).waits, 0u);
}

TEST(ChakraProgram, SendsAndReceivesMatchBySourceDestinationTagSizeAndNumber) {
  const Job job = TraceJob(
      "ranks 3\n0: 1 send 8 to 1 tag 7\n0: 2 send 9 to 1 tag 7\n0: 3 send 8 to 1 tag 7\n"
      "0: 4 send 8 to 2 tag 7\n1: 5 recv 9 from 0 tag 7\n1: 6 recv 8 from 0 tag 7\n"
      "1: 7 recv 8 from 0 tag 7\n2: 1 recv 8 from 0 tag 7\n");
  ASSERT_EQ(job.program.ops.size(), 4u);
  EXPECT_EQ(NodeOf(job, 1, 0).operation, NodeOf(job, 0, 1).operation);
  EXPECT_EQ(NodeOf(job, 1, 1).operation, NodeOf(job, 0, 0).operation);
  EXPECT_EQ(NodeOf(job, 1, 2).operation, NodeOf(job, 0, 2).operation);
  const CollectiveSpec& spec = job.program.ops[NodeOf(job, 2, 0).operation].spec;
  EXPECT_TRUE(IsBetweenTwo(spec));
  EXPECT_EQ(spec.root, 0u);
  EXPECT_EQ(spec.peer, 2u);
  EXPECT_EQ(spec.bytes, 8);
}

TEST(ChakraProgram, AMessageToItselfIsAnEdge) {
  const Job job = TraceJob("ranks 1\n0: 1 recv 8 from 0 tag 1\n0: 2 send 8 to 0 tag 1\n");
  EXPECT_TRUE(job.program.ops.empty());
  EXPECT_EQ(NodeOf(job, 0, 0).waits, 1u);
  EXPECT_EQ(job.program.graph->ranks[0].followers, Ranks{0});
}

TEST(ChakraProgram, KnowsBarriersRootsAndBlocks) {
  const Job job = TraceJob(
      "ranks 2\n*: 1 coll BARRIER 0\n*: 2 coll BROADCAST 5\n*: 3 coll REDUCE_SCATTER_BLOCK 6\n"
      "*: 4 coll ALL_REDUCE 0\n");
  const std::vector<ProgramOp>& ops = job.program.ops;
  EXPECT_EQ(ops[0].spec.operation, Operation::kAllReduce);
  EXPECT_EQ(ops[0].spec.bytes, 4);
  EXPECT_EQ(ops[1].spec.operation, Operation::kBroadcast);
  EXPECT_EQ(ops[1].spec.root, 0u);
  EXPECT_EQ(ops[2].spec.operation, Operation::kReduceScatter);
  EXPECT_EQ(ops[3].spec.bytes, 1);
}

TEST(ChakraProgram, AstraSimReplaysABroadcast) {
  const Job job = TraceJob("ranks 2\n*: 1 coll BROADCAST 5 took 3\n", AsAstraSim());
  EXPECT_TRUE(job.program.ops.empty());
  EXPECT_EQ(NodeOf(job, 0, 0).kind, GraphNode::Kind::kMemory);
  EXPECT_EQ(NodeOf(job, 0, 0).time, MicroSeconds(3));
}

TEST(ChakraProgram, DimensionsMakeGroupsOfLines) {
  const ChakraFabric fabric{{2, 3}, 0};
  const Job job = TraceJob(
      "ranks 6\n*: 1 coll ALL_REDUCE 8 dims 10\n*: 2 coll ALL_REDUCE 8 dims 01\n"
      "*: 3 coll ALL_REDUCE 8 dims 11\n",
      {}, "", fabric);
  ASSERT_EQ(job.program.ops.size(), 3u + 2u + 1u);
  const auto members = [&](std::uint32_t rank, std::uint32_t node) {
    return job.program.lists.Members(job.program.ops[NodeOf(job, rank, node).operation].list);
  };
  EXPECT_EQ(members(3, 0), (Ranks{2, 3}));
  EXPECT_EQ(members(3, 1), (Ranks{1, 3, 5}));
  EXPECT_EQ(members(3, 2), (Ranks{0, 1, 2, 3, 4, 5}));
}

TEST(ChakraProgram, TimesAreDurationsOrARoofline) {
  const std::string text =
      "ranks 1\n0: 1 comp 3 ops 1000000 bytes 2000\n0: 2 comp 0 cpu\n0: 3 comp 0\n";
  EXPECT_EQ(NodeOf(TraceJob(text), 0, 0).time, MicroSeconds(3));
  EXPECT_EQ(NodeOf(TraceJob(text), 0, 1).time, Time{0});
  EXPECT_EQ(NodeOf(TraceJob(text, AsAstraSim()), 0, 1).time, NanoSeconds(1));
  ChakraOptions roofline;
  roofline.compute = ChakraOptions::Compute::kRoofline;
  EXPECT_EQ(MessageOf([&] { TraceJob(text, roofline); }),
            "chakra.compute=roofline: it needs the figures of the GPU. Expected: chakra.peak and "
            "chakra.memory_bandwidth");
  roofline.peak = 1;                // 1000 operations a ns
  roofline.memory_bandwidth = 0.6;  // 0.6 bytes a ns, 500 operations a byte: 300 a ns
  const std::string alone = "ranks 1\n0: 1 comp 3 ops 1000000 bytes 2000\n0: 2 comp 7 cpu\n";
  EXPECT_EQ(NodeOf(TraceJob(alone, roofline), 0, 0).time, NanoSeconds(3333));
  EXPECT_EQ(NodeOf(TraceJob(alone, roofline), 0, 1).time, MicroSeconds(7));
  roofline.memory_bandwidth = 100;
  EXPECT_EQ(NodeOf(TraceJob(alone, roofline), 0, 0).time, NanoSeconds(1000));
  EXPECT_EQ(
      MessageOf([&] { TraceJob(text, roofline); }),
      "node 3 of a.0.et: a computation without num_ops. Expected: num_ops and tensor_size, or "
      "chakra.compute=duration");
  ChakraOptions memory;
  memory.remote_bandwidth = 50;
  memory.remote_latency = NanoSeconds(100);
  EXPECT_EQ(NodeOf(TraceJob("ranks 1\n0: 1 load 1024\n", memory), 0, 0).time, NanoSeconds(120));
}

TEST(ChakraProgram, ChunksOfAstraSimAreAlike) {
  const ChakraFabric fabric{{}, 4};
  EXPECT_EQ(
      TraceJob("ranks 2\n*: 1 coll ALL_REDUCE 103\n", {}, "", fabric).program.ops[0].spec.bytes,
      100);
  EXPECT_EQ(TraceJob("ranks 2\n*: 1 coll ALL_REDUCE 3\n", {}, "", fabric).program.ops[0].spec.bytes,
            8);
}

TEST(ChakraProgram, NamesARankThatIsNotInItsGroup) {
  EXPECT_EQ(
      Refusal("ranks 4\n1: 5 coll ALL_REDUCE 8 group 1\n"),
      "node 5 of a.1.et: an ALL_REDUCE of group 1, in which rank 1 is not. Expected: groups of "
      "the rank");
  EXPECT_EQ(Refusal("ranks 3\n1: 5 coll ALL_REDUCE 8 group 2\n"),
            "node 5 of a.1.et: an ALL_REDUCE of group 2, which has rank 3, and the trace has 3 "
            "ranks. Expected: groups of the trace's ranks");
}

TEST(ChakraProgram, NamesTheCollectiveThatDiffers) {
  EXPECT_EQ(
      Refusal("ranks 2\n*: 1 coll ALL_REDUCE 8\n0: 2 coll ALL_REDUCE 9\n1: 3 coll ALL_GATHER 9\n"),
      "node 2 of a.0.et is an ALL_REDUCE of all ranks with 9 bytes, and node 3 of a.1.et is an "
      "ALL_GATHER of all ranks with 9 bytes: both are the 2nd collective of all ranks on their "
      "ranks. Expected: the same collectives in the same order on all ranks of a group");
}

TEST(ChakraProgram, NamesMessagesThatStayAlone) {
  EXPECT_EQ(
      Refusal(
          "ranks 2\n0: 2 send 9 to 1 tag 3\n0: 3 send 9 to 1 tag 3\n1: 4 recv 9 from 0 tag 3\n"),
      "node 3 of a.0.et: a send to 1, tag 3 of 9 bytes without a receive; there are 1 such "
      "sends and 0 such receives. Expected: a send for each receive, with the same source, "
      "destination, tag and size");
  EXPECT_EQ(
      Refusal("ranks 2\n0: 2 send 9 to 2 tag 3\n"),
      "node 2 of a.0.et: a send to 2, tag 3, and the trace has 2 ranks. Expected: ranks of the "
      "trace");
  EXPECT_EQ(Refusal("ranks 1\n0: 2 send 9 to 0 tag 3\n"),
            "node 2 of a.0.et: a send to 0, tag 3 of 9 bytes, its own rank, without the other end. "
            "Expected: a send for each receive");
}

}  // namespace
}  // namespace heddle::testing
