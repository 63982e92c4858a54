// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_table.h"

#include <gtest/gtest.h>

#include <string>

#include "core/app/launch/bench/bench_arguments.h"
#include "core/base/check.h"

namespace heddle {
namespace {

KindTimes KindOfSize(std::int64_t bytes, double us) {
  KindTimes kind;
  kind.operation = "ALLREDUCE";
  kind.bytes = bytes;
  kind.ranks = 4;
  kind.time.mean = us * 1e6;
  kind.bus_bandwidth = 1.5 * static_cast<double>(bytes) / (us * 1e-6);
  return kind;
}

BenchTable TwoAlgorithms() {
  BenchTable table;
  table.operation = "ALLREDUCE";
  table.fabric = "fabric.txt";
  table.group = "all";
  table.ranks = 4;
  table.sizes = {1024, 2048, 4096};
  table.simulated = {
      SimulatedColumn("ring", {KindOfSize(1024, 30), KindOfSize(2048, 20), KindOfSize(4096, 25)},
                      table.sizes),
      SimulatedColumn("tree", {KindOfSize(1024, 10), KindOfSize(2048, 20.5)}, table.sizes)};
  return table;
}

TEST(BenchTable, TheFastestHasAStarAndARange) {
  const BenchTable table = TwoAlgorithms();
  EXPECT_EQ(FastestText(table), "tree is fastest up to 1.00 KiB, ring is fastest from 2.00 KiB on");
  const std::string text = BenchText(table);
  EXPECT_NE(text.find("          1024        30.00     0.05          10.00     0.15 *\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("          4096        25.00     0.25 *                       -\n"),
            std::string::npos)
      << text;
}

TEST(BenchTable, OneColumnIsPrintedAsNcclTestsDo) {
  BenchTable table = TwoAlgorithms();
  table.operation = "REDUCESCATTER";
  KindTimes kind = KindOfSize(4096, 25);
  kind.algorithm = "RING LL";
  kind.line_rate = 0.912;
  table.simulated = {SimulatedColumn("chosen", {kind}, table.sizes)};
  const std::string text = BenchText(table);
  EXPECT_NE(text.find("\n          4096           256  float    sum       25.00     0.16     0.25 "
                      "    91.2 %  RING LL\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n          1024            64  float    sum           -\n"),
            std::string::npos)
      << text;
}

TEST(BenchTable, MeasuredTimesHaveTheErrorOfTheFastest) {
  BenchTable table = TwoAlgorithms();
  const std::string log =
      "# nThread 1\n# Collective test starting: all_reduce_perf\n#  Rank 0 a\n#  Rank 1 a\n#  Rank "
      "2 a\n#  Rank 3 a\n"
      "  1024  256  float  sum  -1  20.0  0.05  0.08  0  19.0  0.05  0.08  0\n"
      "  4096  1024  float  sum  -1  20.0  0.20  0.31  0  19.0  0.20  0.31  0\n";
  table.measured = MeasuredColumn(log, "log", Operation::kAllReduce, 4, table.sizes);
  ASSERT_TRUE(table.measured->cells[0]);
  EXPECT_FALSE(table.measured->cells[1]);
  EXPECT_NEAR(table.measured->cells[0]->bus_bandwidth, 1.5 * 1024 / 20e-6, 1);
  const std::string text = BenchText(table);
  EXPECT_NE(text.find("     -50.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("     +25.0 %"), std::string::npos) << text;
  EXPECT_NE(BenchCsv(table).find("2048,20.000000,0.153600,20.500000,0.149854,,\n"),
            std::string::npos)
      << BenchCsv(table);
}

TEST(BenchTable, ALogOfSomethingElse) {
  const std::string log =
      "# Collective test starting: all_gather_perf\n  1024  256  float  none  -1  20.0  0.05  0.08 "
      " 0  19.0  0.05  0.08  0\n";
  EXPECT_THROW(MeasuredColumn(log, "log", Operation::kAllReduce, 4, {1024}), UserError);
  const std::string other_size =
      "# Collective test starting: all_reduce_perf\n  999  256  float  sum  -1  20.0  0.05  0.08  "
      "0  19.0  0.05  0.08  0\n";
  EXPECT_THROW(MeasuredColumn(other_size, "log", Operation::kAllReduce, 4, {1024}), UserError);
}

TEST(BenchArguments, ColumnsHaveTheAlgorithmsThatTheyAreNamedAfter) {
  const auto refusal = [](const std::string& algorithms, std::vector<std::string> flags) {
    BenchArguments given;
    given.algorithms = algorithms;
    given.run_flags = std::move(flags);
    try {
      CheckColumnNames(given, Operation::kAllReduce);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string said =
      "--set algorithm.allreduce=tree behind --: --algorithms sets algorithm.allreduce for each "
      "column. Expected: one of the two";
  EXPECT_EQ(refusal("ring,tree", {"--set", "algorithm.allreduce=tree"}), said);
  EXPECT_EQ(refusal("all", {"--passes", "2", "--set=algorithm.allreduce=tree"}), said);
  EXPECT_EQ(refusal("", {"--set", "algorithm.allreduce=tree"}), "accepted");
  EXPECT_EQ(refusal("all", {"--set", "algorithm.allgather=ring", "--set", "CC_MODE=0"}),
            "accepted");
}

TEST(BenchArguments, SizesAndAlgorithms) {
  BenchArguments given;
  given.from = "1KiB";
  given.to = "5KiB";
  EXPECT_EQ(BenchSizes(given), (std::vector<std::int64_t>{1024, 2048, 4096}));
  given.group = "TP";
  EXPECT_EQ(BenchWorkload(given, Operation::kAllReduce),
            "1 ALLREDUCE 1024 TP\n1 ALLREDUCE 2048 TP\n1 ALLREDUCE 4096 TP\n");
  EXPECT_EQ(BenchAlgorithms(given, Operation::kAllReduce), (std::vector<std::string>{""}));
  given.algorithms = "ring,tree";
  EXPECT_EQ(BenchAlgorithms(given, Operation::kAllReduce),
            (std::vector<std::string>{"ring", "tree"}));
  EXPECT_EQ(AlgorithmKey(Operation::kReduceScatter), "algorithm.reducescatter");
  for (const char* bad : {"ring,ring", "x", "ring,", ","}) {
    given.algorithms = bad;
    EXPECT_THROW(BenchAlgorithms(given, Operation::kAllReduce), UsageError) << bad;
  }
  given.to = "1";
  EXPECT_THROW(BenchSizes(given), UsageError);
}

}  // namespace
}  // namespace heddle
