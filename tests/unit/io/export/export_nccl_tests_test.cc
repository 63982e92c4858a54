// SPDX-License-Identifier: GPL-2.0-only
#include "io/export/export_nccl_tests.h"

#include <sstream>

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

struct Collective {
  std::string op, group_type;
  std::uint32_t ranks;
  std::int64_t root, bytes, start_us, end_us;  ///< end -1: not finished
  double bus_factor;
  std::int64_t wait_us = 0;
};

Table Collectives(const std::vector<Collective>& rows) {
  std::vector<std::string> op, group;
  std::vector<std::uint32_t> ranks;
  std::vector<std::int64_t> root, bytes, time, wait;
  std::vector<double> algbw, busbw;
  for (const Collective& row : rows) {
    op.push_back(row.op);
    group.push_back(row.group_type);
    ranks.push_back(row.ranks);
    root.push_back(row.root);
    bytes.push_back(row.bytes);
    time.push_back(row.end_us < 0 ? -1 : (row.end_us - row.start_us) * 1'000'000);
    wait.push_back(row.wait_us * 1'000'000);
    const double seconds = static_cast<double>(row.end_us - row.start_us) * 1e-6;
    algbw.push_back(row.end_us < 0 ? 0 : static_cast<double>(row.bytes) / seconds);
    busbw.push_back(algbw.back() * row.bus_factor);
  }
  return {"collectives",
          "",
          {{"op", "1", "", op},
           {"group_type", "1", "", group},
           {"ranks", "1", "", ranks},
           {"root", "1", "", root},
           {"bytes", "byte", "", bytes},
           {"time_ps", "ps", "", time},
           {"wait_ps", "ps", "", wait},
           {"algbw", "B/s", "", algbw},
           {"busbw", "B/s", "", busbw}}};
}

std::string Text(const std::vector<Collective>& rows, std::size_t unfinished = 0) {
  std::ostringstream out;
  EXPECT_EQ(ExportNcclTests(Collectives(rows), out), unfinished);
  return out.str();
}

const std::string kNcclTestsHeader =
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";

TEST(ExportNcclTests, LinesAreMeansAndSectionsAreOperationsAndGroups) {
  // 1 GB/s is 1000 bytes a microsecond; two groups take 90 and 110 us.
  EXPECT_EQ(
      Text({{"ALLREDUCE", "TP", 8, -1, 1'000'000, 0, 90, 1.75},
            {"ALLREDUCE", "TP", 8, -1, 1'000'000, 10, 120, 1.75},
            {"ALLREDUCE", "TP", 8, -1, 4'000, 0, 8, 1.75},
            {"ALLGATHER", "DP", 4, -1, 30'000'001, 0, 15'000, 0.75},
            {"ALLGATHER", "DP", 4, -1, 30'000'016, 0, 15'000, 0.75},
            {"BROADCAST", "TP", 8, 3, 400'000, 0, 100, 1}}),
      kNcclTestsHeader +
          "# ALLGATHER DP, 4 ranks\n"
          "    30000001       7500000     uint8    none      -1    15000    2.00    1.50    N/A\n"
          "    30000016       1875001     float    none      -1    15000    2.00    1.50    N/A\n"
          "# ALLREDUCE TP, 8 ranks\n"
          "        4000          1000     float     sum      -1     8.00    0.50    0.88    N/A\n"
          "     1000000        250000     float     sum      -1    100.0   10.00   17.50    N/A\n"
          "# BROADCAST TP, 8 ranks\n"
          "      400000        100000     float    none       3    100.0    4.00    4.00    N/A\n"
          "# Avg bus bandwidth    : 5.075\n");
}

TEST(ExportNcclTests, UnfinishedCollectivesAreLeftOutAndCounted) {
  const Collective open{"ALLREDUCE", "TP", 8, -1, 4'000, 5, -1, 1.75};
  EXPECT_EQ(Text({open, open}, 2), kNcclTestsHeader + "# Avg bus bandwidth    : 0\n");
}

TEST(ExportNcclTests, WaitingForSendersIsNotInTheTimes) {
  const std::string text = Text({{"SENDRECV", "PP", 2, 0, 1'000'000, 0, 100, 1, 4000},
                                 {"SENDRECV", "PP", 2, 1, 1'000'000, 50, 150, 1, 1000}});
  EXPECT_NE(text.find("# SENDRECV PP, 2 ranks; before, a receiver waited for its sender 2500.00 "
                      "us\n     1000000        250000     float    none       0    100.0   10.00"),
            std::string::npos)
      << text;
}

TEST(ExportNcclTests, MissingColumnIsNamed) {
  Table table = Collectives({});
  table.columns.pop_back();
  std::ostringstream out;
  EXPECT_NE(MessageOf([&] { ExportNcclTests(table, out); }).find("no column busbw"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
