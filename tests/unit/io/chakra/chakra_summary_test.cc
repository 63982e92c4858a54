// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_summary.h"

#include "io/chakra/chakra_reader.h"
#include "tests/support/chakra/chakra_text.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

ChakraTrace TraceOf(const std::string& text) {
  const std::vector<std::string> files = testing::ChakraFilesOf(text);
  ChakraTrace trace;
  ChakraReader reader(&trace, static_cast<std::uint32_t>(files.size()), true);
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    const std::string name = "a." + std::to_string(rank) + ".et";
    reader.ReadRank(OpenBytes(files[rank], name), name);
  }
  return trace;
}

TEST(ChakraSummary, CountsWhatThereIs) {
  const ChakraSummary sum = Summarize(TraceOf(
      "ranks 3\n0: 1 comp 10\n0: 2 comp 5 cpu after 1\n0: 3 comp 14\n0: 4 coll ALL_REDUCE 100\n"
      "0: 5 coll ALL_REDUCE 50 group 1\n0: 6 send 7 to 1 tag 0\n0: 7 load 64\n0: 8 meta\n"
      "1: 1 recv 7 from 0 tag 0\n1: 2 coll ALL_REDUCE 100 after 1\n1: 3 coll BARRIER 0\n"));
  EXPECT_EQ(sum.computing, 3u);
  EXPECT_EQ(sum.on_cpu, 1u);
  EXPECT_EQ(sum.collectives, 4u);
  EXPECT_EQ(sum.sends, 1u);
  EXPECT_EQ(sum.receives, 1u);
  EXPECT_EQ(sum.memory, 1u);
  EXPECT_EQ(sum.nothing, 1u);
  EXPECT_EQ(sum.dependencies, 2u);
  EXPECT_EQ(sum.idle_ranks, 1u);
  EXPECT_EQ(sum.sent_bytes, 7);
  EXPECT_EQ(sum.memory_bytes, 64);
  EXPECT_EQ(sum.computing_ns, 29'000);
  EXPECT_EQ(sum.longest_chain_ns, 15'000);
  EXPECT_EQ(sum.longest_chain_rank, 0u);
  ASSERT_EQ(sum.uses.size(), 3u);
  const ChakraUse& all = sum.uses.at({0, ChakraCollective::kAllReduce});
  EXPECT_EQ(all.count, 2u);
  EXPECT_EQ(all.bytes, 200);
  EXPECT_EQ(sum.unknown_groups.count, 1u);
  EXPECT_EQ(sum.incomplete.count, 0u);
  EXPECT_EQ(sum.stuck, 0u);
}

TEST(ChakraSummary, CountsWhoWaitsForACycle) {
  const ChakraSummary sum = Summarize(TraceOf(
      "ranks 2\n1: 1 comp 1\n1: 2 comp 1 after 3\n1: 3 comp 1 after 2\n1: 4 comp 1 after 3\n"));
  EXPECT_EQ(sum.stuck, 3u);
  EXPECT_EQ(sum.stuck_rank, 1u);
}

TEST(ChakraSummary, FindsNodesThatLackSomething) {
  const ChakraTrace trace = TraceOf("ranks 1\n0: 1 comp 1\n0: 2 send 8 tag 1\n0: 3 send 8 tag 2\n");
  const ChakraSummary sum = Summarize(trace);
  EXPECT_EQ(sum.incomplete.count, 2u);
  EXPECT_EQ(trace.PlaceOf(sum.incomplete.first), "node 2 of a.0.et");
}

}  // namespace
}  // namespace heddle
