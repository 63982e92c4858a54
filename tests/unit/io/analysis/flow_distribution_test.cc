// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/flow_distribution.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/made_result.h"

namespace heddle {
namespace {

ReportedFlows ReportedOf(const MadeResult& result) {
  const std::string path = TempPath("flows.h5");
  result.Write(path);
  return ReadReportedFlows(ReportSource(path));
}

/// TraceResult() with rows of flows only: 1000 bytes in 1000 ps, 3000 in 2000 ps, and 70000 that
/// did not end; each takes 1000 ps alone.
MadeResult RowsOnly() {
  MadeResult result = TraceResult();
  for (const char* name : {"flow_sizes", "slowdown_histogram", "fct_histogram"})
    result.Remove(name);
  result.root.erase("flows_planned");
  result.root.erase("flows_finished");
  return result;
}

TEST(ReportedFlows, AreCountedFromRowsByPowersOfTwo) {
  const ReportedFlows flows = ReportedOf(RowsOnly());
  EXPECT_EQ(flows.planned, 3);
  EXPECT_EQ(flows.finished, 2);
  EXPECT_EQ(flows.unfinished_by_state[5], 1);
  EXPECT_TRUE(flows.whole);
  ASSERT_EQ(flows.sizes.size(), 2u);
  EXPECT_EQ(flows.sizes[0].from_bytes, 512);
  EXPECT_EQ(flows.sizes[0].to_bytes, 1024);
  EXPECT_EQ(flows.sizes[1].from_bytes, 2048);
  EXPECT_EQ(flows.sizes[1].fct_mean_ps, 2000);
  EXPECT_EQ(flows.sizes[1].slowdown_max, 2);
  EXPECT_EQ(flows.bytes(), 4000) << "of finished flows";
  EXPECT_EQ(flows.fct_mean_ps(), 1500);
  EXPECT_EQ(flows.fct_max_ps(), 2000);
  EXPECT_EQ(flows.slowdown_mean(), 1.5);
  EXPECT_EQ(flows.slowdown_max(), 2);
}

TEST(ReportedFlows, AreTheSameFromHistograms) {
  const ReportedFlows rows = ReportedOf(RowsOnly()), read = ReportedOf(TraceResult());
  EXPECT_EQ(read.planned, rows.planned);
  EXPECT_EQ(read.finished, rows.finished);
  EXPECT_EQ(read.bytes(), rows.bytes());
  EXPECT_EQ(read.fct_mean_ps(), rows.fct_mean_ps());
  EXPECT_EQ(read.slowdown_mean(), rows.slowdown_mean());
  EXPECT_EQ(CountOf(read.slowdowns()), CountOf(rows.slowdowns()));
  EXPECT_EQ(CountOf(read.fct_ps), 2);
}

// The first flow has none: the mean is that of the second one.
TEST(ReportedFlows, SlowdownsAreOfFlowsWithAnIdealTime) {
  const ReportedFlows flows = ReportedOf(ResultWithoutAnIdealTime());
  EXPECT_EQ(flows.slowdown_mean(), 2);
  EXPECT_EQ(flows.slowdown_max(), 2);
  EXPECT_EQ(CountOf(flows.slowdowns()), 1);
  EXPECT_EQ(flows.fct_mean_ps(), 1500) << "of both";
}

TEST(ReportedFlows, AClassBeginsAtItsPowerOfTwo) {
  MadeResult result = RowsOnly();
  result.values<std::int64_t>("flows", "size_bytes") = {0, 1024, 1023};
  result.values<std::int64_t>("flows", "fct_ps") = {10, 20, 30};
  const ReportedFlows flows = ReportedOf(result);
  ASSERT_EQ(flows.sizes.size(), 3u);
  EXPECT_EQ(flows.sizes[0].from_bytes, 0);
  EXPECT_EQ(flows.sizes[0].to_bytes, 1);
  EXPECT_EQ(flows.sizes[1].from_bytes, 512);
  EXPECT_EQ(flows.sizes[2].from_bytes, 1024);
  std::int64_t sum = 0;
  for (const SizeClass& size : flows.sizes) sum += size.flows;
  EXPECT_EQ(sum, flows.finished) << "each flow is of one class";
}

TEST(ReportedFlows, WhatTheRunSaysOfItsFlowsCountsMore) {
  MadeResult result = RowsOnly();
  result.root["flows_planned"] = std::int64_t{9};
  result.root["flows_finished"] = std::int64_t{7};
  const ReportedFlows flows = ReportedOf(result);
  EXPECT_EQ(flows.planned, 9);
  EXPECT_EQ(flows.finished, 7);
}

TEST(ReportedFlows, AQuantileIsNeverAboveTheLongest) {
  const ReportedFlows flows = ReportedOf(TraceResult());
  EXPECT_EQ(flows.fct_ps_at(1), 2000) << "its bin ends at 2016";
  EXPECT_LE(flows.fct_ps_at(0.25), 1008);
  EXPECT_GE(flows.fct_ps_at(0.25), 992);
}

TEST(ReportedFlows, OfNoFlowsAreZero) {
  const ReportedFlows none;
  EXPECT_EQ(none.bytes(), 0);
  EXPECT_EQ(none.fct_mean_ps(), 0);
  EXPECT_EQ(none.fct_max_ps(), 0);
  EXPECT_EQ(none.fct_ps_at(0.99), 0);
  EXPECT_EQ(none.slowdown_mean(), 0);
  EXPECT_EQ(none.slowdown_max(), 0);
  EXPECT_TRUE(none.slowdowns().empty());
}

}  // namespace
}  // namespace heddle
