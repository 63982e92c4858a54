// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/result_accuracy.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/check.h"

namespace heddle {
namespace {

struct Row {
  std::uint32_t operation, group;
  const char* op;
  std::int64_t bytes, time;
};

Table Collectives(const std::vector<Row>& rows) {
  std::vector<std::uint32_t> job, operation, group, ranks;
  std::vector<std::string> op, type;
  std::vector<std::int64_t> bytes, time;
  for (const Row& row : rows) {
    job.push_back(0);
    operation.push_back(row.operation);
    group.push_back(row.group);
    ranks.push_back(8);
    op.emplace_back(row.op);
    type.emplace_back("DP");
    bytes.push_back(row.bytes);
    time.push_back(row.time);
  }
  return {"collectives",
          "",
          {{"job", "1", "", job},
           {"operation", "1", "", operation},
           {"group", "1", "", group},
           {"op", "1", "", op},
           {"group_type", "1", "", type},
           {"ranks", "1", "", ranks},
           {"bytes", "byte", "", bytes},
           {"time_ps", "ps", "", time}}};
}

TEST(ResultAccuracy, ErrorsAreSharesOfTheReference) {
  const Table reference = Collectives(
      {{0, 0, "ALLREDUCE", 64, 100}, {0, 1, "ALLREDUCE", 64, 200}, {1, 0, "ALLTOALL", 8, 1000}});
  const Table other = Collectives(
      {{1, 0, "ALLTOALL", 8, 500}, {0, 1, "ALLREDUCE", 64, 180}, {0, 0, "ALLREDUCE", 64, 120}});
  double mean = 0, p99 = 0;
  const auto kinds = CompareCollectives(reference, other, &mean, &p99);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].operation, "ALLTOALL") << "it takes the longest";
  EXPECT_DOUBLE_EQ(kinds[0].error, -0.5);
  EXPECT_EQ(kinds[1].number, 2u);
  EXPECT_DOUBLE_EQ(kinds[1].reference_ps, 150);
  EXPECT_NEAR(kinds[1].error, 0, 1e-12) << "300 in both";
  EXPECT_NEAR(kinds[1].mean_error, (0.2 + 0.1) / 2, 1e-12);
  EXPECT_NEAR(kinds[1].p99_error, 0.2, 1e-12);
  EXPECT_NEAR(mean, (0.2 + 0.1 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(p99, 0.5, 1e-12);
}

TEST(ResultAccuracy, WhatDidNotEndInBothCountsNowhere) {
  double mean = 0, p99 = 0;
  const auto kinds = CompareCollectives(
      Collectives({{0, 0, "ALLREDUCE", 64, 100}, {1, 0, "ALLREDUCE", 64, -1}}),
      Collectives({{0, 0, "ALLREDUCE", 64, 110}, {1, 0, "ALLREDUCE", 64, 50}}), &mean, &p99);
  EXPECT_EQ(kinds.at(0).number, 1u);
  EXPECT_NEAR(mean, 0.1, 1e-12);
}

TEST(ResultAccuracy, DifferentProgramsAreRefused) {
  double mean = 0, p99 = 0;
  const Table one = Collectives({{0, 0, "ALLREDUCE", 64, 100}});
  EXPECT_THROW(CompareCollectives(one, Collectives({{0, 0, "ALLREDUCE", 65, 100}}), &mean, &p99),
               UserError);
  EXPECT_THROW(CompareCollectives(one, Collectives({{5, 0, "ALLREDUCE", 64, 100}}), &mean, &p99),
               UserError);
}

}  // namespace
}  // namespace heddle
