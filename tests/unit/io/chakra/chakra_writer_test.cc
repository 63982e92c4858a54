// SPDX-License-Identifier: GPL-2.0-only
#include "io/chakra/chakra_writer.h"

#include "io/chakra/chakra_reader.h"
#include "tests/support/chakra/chakra_text.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

TEST(ChakraWriter, WhatIsWrittenIsReadAgain) {
  ChakraTrace trace;
  ChakraReader reader(&trace, 1, true);
  reader.ReadGroups(R"({"4": [2, 0]})", "groups.json");
  const std::string bytes = testing::ChakraFilesOf(
      "ranks 1\n0: 1 comp 10 name gemm\n0: 2 comp 3 cpu after 1\n0: 3 coll ALL_GATHER 100 group 4\n"
      "0: 4 send 8 to 3 tag 7 after 1 3\n0: 5 recv 9 from 2 tag 5\n0: 6 load 64 after 9\n"
      "0: 9 meta\n")[0];
  reader.ReadRank(OpenBytes(bytes, "a.0.et"), "a.0.et");
  trace.ranks[0].nodes[0].duration = PicoSeconds(1'234'567);
  EXPECT_EQ(ChakraGroupsText(trace), "{\"4\":[2,0]}\n");
  ChakraTrace again;
  ChakraReader second(&again, 1, true);
  second.ReadGroups(ChakraGroupsText(trace), "groups.json");
  const std::string written = ChakraBytes(trace, 0);
  second.ReadRank(OpenBytes(written, "b.0.et"), "b.0.et");
  const std::vector<ChakraNode>&before = trace.ranks[0].nodes, &after = again.ranks[0].nodes;
  ASSERT_EQ(after.size(), before.size());
  EXPECT_EQ(again.ranks[0].followers, trace.ranks[0].followers);
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].kind, before[i].kind);
    EXPECT_EQ(after[i].duration, before[i].duration) << i;
    EXPECT_EQ(after[i].bytes, before[i].bytes);
    EXPECT_EQ(after[i].peer, before[i].peer);
    EXPECT_EQ(after[i].tag, before[i].tag);
    EXPECT_EQ(after[i].group, before[i].group);
    EXPECT_EQ(after[i].on_cpu, before[i].on_cpu);
    EXPECT_EQ(after[i].waits, before[i].waits);
    EXPECT_EQ(after[i].collective, before[i].collective);
    EXPECT_EQ(again.names[after[i].name], trace.names[before[i].name]);
  }
  EXPECT_EQ(again.odd.missing_data.count, 0u);
  EXPECT_EQ(ChakraGroupsText(ParseChakra(bytes, "a.0.et")), "{\"4\":[]}\n");
}

}  // namespace
}  // namespace heddle
