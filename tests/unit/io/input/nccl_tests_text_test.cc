// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/nccl_tests_text.h"

#include <gtest/gtest.h>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr const char* kTestsHead =
    "# Collective test starting: reduce_scatter_perf\n"
    "# nThread 1 nGpus 4 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
    "#  Rank  0 Group  0 Pid  71 on  node1 device  0 [0x07] NVIDIA H100\n"
    "#  Rank  3 Group  0 Pid  71 on  node1 device  3 [0x0a] NVIDIA H100\n"
    "node1:71:99 [0] NCCL INFO Bootstrap : Using eth0\n"
    "NCCL version 2.21.5+cuda12.4\n";

std::string WhyNoTests(const std::string& text) {
  try {
    ParseNcclTests(text, "t.txt");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(NcclTestsText, ReadsOperationRanksAndBothTimes) {
  const std::string text = std::string(kTestsHead) +
                           "  0 0 float sum -1 0.05 0.00 0.00 0 0.04 0.00 0.00 0\n"
                           "  4096 256 float sum -1 37.5 0.1 0.1 0 36.25 0.1 0.1 0\n";
  const auto out = ParseNcclTests(text, "t.txt");
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].operation, Operation::kReduceScatter);
  EXPECT_EQ(out[0].ranks, 4U);
  ASSERT_EQ(out[0].rows.size(), 1U);  // a size of 0 says nothing
  EXPECT_EQ(out[0].rows[0].bytes, 4096);
  EXPECT_DOUBLE_EQ(out[0].rows[0].out_of_place, 37.5e-6);
  EXPECT_DOUBLE_EQ(out[0].rows[0].in_place.value(), 36.25e-6);
}

NcclTestsRow OnlyRow(const std::string& text) {
  const auto sections = ParseNcclTests(text, "t");
  return sections.size() == 1 && sections[0].rows.size() == 1 ? sections[0].rows[0]
                                                              : NcclTestsRow();
}

TEST(NcclTestsText, OlderVersionsHaveFewerColumns) {
  EXPECT_DOUBLE_EQ(OnlyRow("8 2 float sum 9.5 0 0 0 8.5 0 0 0\n").out_of_place, 9.5e-6);
  EXPECT_DOUBLE_EQ(OnlyRow("8 2 float 9.5 0 0 0 8.5 0 0 0\n").in_place.value(), 8.5e-6);
}

TEST(NcclTestsText, SomeTestsHaveNoTimeInPlace) {
  EXPECT_FALSE(OnlyRow("8 2 float sum -1 9.5 0 0 N/A\n").in_place.has_value());  // an export
  const NcclTestsRow row = OnlyRow("8 2 float none -1 9.5 0 0 0 N/A N/A N/A N/A\n");
  EXPECT_DOUBLE_EQ(row.out_of_place, 9.5e-6);
  EXPECT_FALSE(row.in_place.has_value());
}

TEST(NcclTestsText, ACommandLineNamesTheTest) {
  const std::string row = "8 2 float sum -1 9.5 0 0 0 8.5 0 0 0\n";
  const auto sections = ParseNcclTests(
      "$ mpirun -np 16 -x NCCL_DEBUG=WARN /opt/nccl-tests/build/all_reduce_perf -b 8 -e 8\n" + row +
          "# ./build/alltoall_perf -b 8 -g 8\n" + row + "all_gather_perf_mpi -b 8\n" + row,
      "t");
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_EQ(sections[0].operation, Operation::kAllReduce);
  EXPECT_EQ(sections[1].operation, Operation::kAllToAll);
  EXPECT_EQ(sections[2].operation, Operation::kAllGather);
}

TEST(NcclTestsText, SectionsOfAnExportAndOfTestsBehindEachOther) {
  const auto exported = ParseNcclTests(
      "# ALLREDUCE DP, 8 ranks\n4096 1024 float sum -1 10.5 1 1 N/A\n"
      "# ALLGATHER TP, 4 ranks; before, a receiver waited 3 us\n64 4 float none -1 2 1 1 N/A\n",
      "t");
  ASSERT_EQ(exported.size(), 2U);
  EXPECT_EQ(exported[0].operation, Operation::kAllReduce);
  EXPECT_EQ(exported[0].ranks, 8U);
  EXPECT_EQ(exported[1].operation, Operation::kAllGather);
  EXPECT_EQ(exported[1].ranks, 4U);
  const std::string row = "8 2 float sum -1 9.5 0 0 0 8.5 0 0 0\n";
  const auto two =
      ParseNcclTests(kTestsHead + row + "# Collective test starting: all_gather_perf\n#  " +
                         "Rank  1 Group 0\n" + row,
                     "t");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].operation, Operation::kReduceScatter);
  EXPECT_EQ(two[1].operation, Operation::kAllGather);
  EXPECT_EQ(two[1].ranks, 2U);
}

TEST(NcclTestsText, NamesFileAndLine) {
  EXPECT_EQ(WhyNoTests("# nothing\n").rfind("t.txt: no line of times", 0), 0U)
      << WhyNoTests("# nothing\n");
  EXPECT_EQ(WhyNoTests("#\n8 2 float\n").rfind("t.txt:2: 3 columns", 0), 0U);
  EXPECT_EQ(WhyNoTests("8 2 float sum -1 0 0 0 0 1 0 0 0\n").rfind("t.txt:1: time \"0\"", 0), 0U);
  EXPECT_EQ(WhyNoTests("x 2 float sum -1 1 0 0 0 1 0 0 0\n").rfind("t.txt:1: size \"x\"", 0), 0U);
  EXPECT_EQ(WhyNoTests("# Collective test starting: hypercube_perf\n")
                .rfind("t.txt:1: test \"hypercube_perf\"", 0),
            0U);
}

}  // namespace
}  // namespace heddle
