// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/bench/bench_causes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/app/run/setup/all_options.h"

namespace heddle {
namespace {

constexpr double kUs = 1e-6;
constexpr std::int64_t kKiB = 1024, kMiB = kKiB * kKiB;

/// Sizes with simulated and measured times [us]; bus bandwidth is size over time.
struct Row {
  std::int64_t size;
  double simulated, measured;
};

BenchTable TableOf(const std::vector<Row>& rows, const std::string& algorithm) {
  BenchTable table;
  table.operation = "ALLREDUCE";
  table.simulated.push_back({"chosen", {}});
  table.measured = BenchColumn{"measured", {}};
  for (const Row& row : rows) {
    const auto cell = [&](double us, const std::string& by) {
      return BenchCell{us * kUs, static_cast<double>(row.size) / (us * kUs), 0, by};
    };
    table.sizes.push_back(row.size);
    table.simulated.front().cells.emplace_back(cell(row.simulated, algorithm));
    table.measured->cells.emplace_back(cell(row.measured, ""));
  }
  return table;
}

BenchSurroundings Servers() {
  BenchSurroundings around;
  around.between_servers = true;
  around.hardware = true;
  return around;
}

TEST(BenchCauses, WhereTimesDoNotGrowItIsLatency) {
  const BenchTable table = TableOf(
      {{kKiB, 20, 30}, {2 * kKiB, 20, 30}, {kMiB, 99, 100}, {64 * kMiB, 6000, 6000}}, "RING LL");
  const std::vector<BenchCause> causes = LikelyCauses(table, Servers());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].from, kKiB);
  EXPECT_EQ(causes[0].to, 2 * kKiB);
  EXPECT_EQ(causes[0].cause, "latency of RING LL: measured 10.0 us more");
  EXPECT_EQ(causes[0].options, "gpu.base_ll, nic.net_ll");
  EXPECT_EQ(CausesText(table, causes),
            "within 10 % of what was measured: 2 of 4 sizes\n"
            "1.00 KiB to 2.00 KiB   -33 %          latency of RING LL: measured 10.0 us more "
            "(gpu.base_ll, nic.net_ll)\n");
}

TEST(BenchCauses, WhereBandwidthEndsItIsARate) {
  const auto causes = LikelyCauses(
      TableOf({{kKiB, 20, 20}, {32 * kMiB, 1000, 1500}, {64 * kMiB, 2000, 3000}}, "RING SIMPLE"),
      Servers());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].cause,
            "rate that RING SIMPLE ends at: measured 22.4 GB/s of bus bandwidth, simulated 33.6 "
            "GB/s");
  EXPECT_EQ(causes[0].options, "nic.share");
}

TEST(BenchCauses, BetweenTheTwoPipelinesFill) {
  const auto causes = LikelyCauses(
      TableOf({{kKiB, 20, 20}, {4 * kMiB, 200, 300}, {64 * kMiB, 3000, 3000}}, "TREE LL128"),
      Servers());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_NE(causes[0].cause.find("pipelines of TREE LL128 fill slower"), std::string::npos);
  EXPECT_EQ(causes[0].options, "gpu.tree_rate_ll128");
}

TEST(BenchCauses, AnotherAlgorithmThatFitsComesFirst) {
  BenchSurroundings around = Servers();
  around.alternatives.push_back({"RING SIMPLE", "algorithm.allreduce=ring", {1.0, 1.2, 1.0}});
  around.alternatives.push_back({"TREE LL", "algorithm.allreduce=tree", {1.0, 1.52, 1.0}});
  around.alternatives.push_back({"TREE SIMPLE", "algorithm.allreduce=tree", {1.0, {}, 1.0}});
  const auto causes = LikelyCauses(
      TableOf({{kKiB, 20, 20}, {4 * kMiB, 200, 300}, {64 * kMiB, 3000, 3000}}, "TREE LL128"),
      around);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].cause, "NCCL likely took TREE LL, not TREE LL128");
}

TEST(BenchCauses, ASizeThatTakesLongerThanTheNextIsNoCauseOfTheModel) {
  const auto causes = LikelyCauses(
      TableOf({{kKiB, 20, 90}, {2 * kKiB, 20, 20}, {64 * kMiB, 3000, 3000}}, "RING LL"), Servers());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_NE(causes[0].cause.find("first use"), std::string::npos);
  EXPECT_EQ(causes[0].options, "");
}

TEST(BenchCauses, ChangesOfSignOrOfTheAlgorithmAreStretchesOfTheirOwn) {
  const auto causes = LikelyCauses(
      TableOf({{kKiB, 30, 20}, {2 * kKiB, 15, 20}, {64 * kMiB, 3000, 3000}}, "RING LL"), Servers());
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_GT(causes[0].least_error, 0);
  EXPECT_LT(causes[1].most_error, 0);
}

TEST(BenchCauses, EveryOptionThatIsNamedExists) {
  const AllOptions known;
  for (const bool between : {false, true}) {
    for (const char* algorithm :
         {"RING LL", "RING LL128", "RING SIMPLE", "TREE LL", "TREE LL128", "TREE SIMPLE",
          "DIRECT LL", "DIRECT SIMPLE", "NVLS_MULTIMEM SIMPLE", "NVLS_TREE_MULTIMEM SIMPLE",
          "PAT SIMPLE"}) {
      BenchSurroundings around = Servers();
      around.between_servers = between;
      const auto causes = LikelyCauses(
          TableOf({{kKiB, 40, 20}, {4 * kMiB, 200, 300}, {64 * kMiB, 2000, 3000}}, algorithm),
          around);
      ASSERT_EQ(causes.size(), 3U) << algorithm;
      for (const BenchCause& cause : causes) {
        for (std::size_t at = 0; at < cause.options.size();) {
          const std::size_t comma = std::min(cause.options.find(", ", at), cause.options.size());
          EXPECT_TRUE(known.options.Knows(cause.options.substr(at, comma - at)))
              << algorithm << ": " << cause.options;
          at = comma + 2;
        }
      }
    }
  }
}

TEST(BenchCauses, WithoutMeasuredTimesThereIsNothingToSay) {
  BenchTable table = TableOf({{kKiB, 30, 20}}, "RING LL");
  table.measured.reset();
  EXPECT_TRUE(LikelyCauses(table, Servers()).empty());
  EXPECT_EQ(CausesText(table, {}), "");
}

}  // namespace
}  // namespace heddle
