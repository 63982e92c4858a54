// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/file_kind.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace heddle {
namespace {

TEST(FileKind, ByItsFirstLines) {
  EXPECT_EQ(KindOf("7 2 2 1 8 A100\n4 5 6\n0 4 2400Gbps 0.000025ms 0\n"), FileKind::kTopology);
  EXPECT_EQ(KindOf("6 2 4\n4 5\n0 4 100Gbps 0.001ms 0\n"), FileKind::kTopology);
  EXPECT_EQ(KindOf("1 ALLREDUCE 4000 DP\n"), FileKind::kWorkload);
  EXPECT_EQ(KindOf("MICRO\n1\nall -1 0 NONE 0\n"), FileKind::kWorkload);
  EXPECT_EQ(KindOf("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2\n"),
            FileKind::kWorkload);
  EXPECT_EQ(KindOf("timestamp_ns,src,dst,size_bytes\n"), FileKind::kTrace);
  EXPECT_EQ(KindOf("# heddle trace\n# timestamp_ns,...\n0,0,2,1000\n"), FileKind::kTrace);
  EXPECT_EQ(KindOf("\xef\xbb\xbf"
                   "0, 0, 2, 1000\n"),
            FileKind::kTrace);
  EXPECT_EQ(KindOf("2\n0 2 3 100 1000 0\n"), FileKind::kFlows);
  EXPECT_EQ(KindOf("time,event,a,b\n"), FileKind::kFailures);
  EXPECT_EQ(KindOf("1000,link_down,0,6\n"), FileKind::kFailures);
  EXPECT_EQ(KindOf("# SimAI\n\nCC_MODE 1\n"), FileKind::kConfiguration);
  EXPECT_EQ(KindOf("{\"format\": \"heddle profile\"}"), FileKind::kProfile);
  EXPECT_EQ(KindOf("output = \"x\"\n[run]\n"), FileKind::kSweep);
}

TEST(FileKind, Networks) {
  for (const char* text : {"digraph net {", "strict digraph \"a\" {",
                           "// of ORCS\n/* x */\ndigraph{", "# cpp\ngraph\tg {"})
    EXPECT_EQ(KindOf(text), FileKind::kDot) << text;
  EXPECT_NE(KindOf("digraphs are graphs\n"), FileKind::kDot);
  for (const char* text :
       {"#\n# Topology file\n\nvendid=0x2c9\ndevid=0xcb20\n",
        "Switch\t8 \"S-0000000000200003\"\t\t# x\n",
        "CA    24  1 0x000000000010001f 4x SDR - SW     6  4 0x20 ( 'a' - 'b' )\n"})
    EXPECT_EQ(KindOf(text), FileKind::kInfiniband) << text;
  EXPECT_EQ(KindOf("heddle-tables 1 8 12\n8 0 0 0\n"), FileKind::kTables);
  for (const char* text :
       {"osm_ucast_mgr_dump_ucast_routes: Switch 0x0000000000000001\nLID    : Port\n",
        "Unicast lids [0x0-0x10] of switch DR path slid 0; (S):\n"})
    EXPECT_EQ(KindOf(text), FileKind::kDump) << text;
}

TEST(FileKind, ByItsFirstBytes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(KindOf("\x89HDF\r\n\x1a\n\0\0"sv), FileKind::kResult);
  EXPECT_EQ(KindOf("PK\x03\x04[Content_Types].xml"), FileKind::kSpreadsheet);
  EXPECT_EQ(KindOf("\xff\xfet\0i\0"sv), FileKind::kWideText);
  EXPECT_EQ(KindOf("<!DOCTYPE html>"), FileKind::kPage);
}

TEST(FileKind, UnknownIsNotGuessed) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv, "hello world"sv,
                                      "\x7f"
                                      "ELF\x02\0"sv,
                                      "1 2 3 4\n"sv, "{\"a\": 1}"sv})
    EXPECT_EQ(KindOf(text), FileKind::kUnknown) << text;
}

TEST(FileKind, MessagesSayWhereTheFileBelongs) {
  const std::string path = ::testing::TempDir() + "file_kind_test.txt";
  std::ofstream(path) << "1 ALLREDUCE 4000 DP\n";
  EXPECT_EQ(LooksLike(path, FileKind::kTopology),
            " (it looks like a workload: heddle run -w FILE)");
  EXPECT_EQ(LooksLike(path, FileKind::kWorkload), "");
  try {
    ReadAs(FileKind::kTrace, path, []() -> int { throw UserError("x:1: wrong"); });
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "x:1: wrong (it looks like a workload: heddle run -w FILE)");
  }
  std::remove(path.c_str());
  EXPECT_EQ(LooksLike(path, FileKind::kTopology), "");
}

}  // namespace
}  // namespace heddle
