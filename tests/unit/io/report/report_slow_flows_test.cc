// SPDX-License-Identifier: GPL-2.0-only
/// Which flows a report calls slow: those that lost time to others.
#include <gtest/gtest.h>

#include "io/report/report_json.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

/// Flows of 1,000 ps alone: two of GPU 1 that share its port all the time, and one of GPU 0 that
/// others held up.
std::vector<FlowRow> FanOutBesideALoss() {
  return {{1, 2, 1000, 0, 2000, 1000}, {1, 3, 1000, 0, 2000, 1000}, {0, 2, 1000, 0, 1500, 1000}};
}

TEST(ReportSlowFlows, FanOutIsNoLoss) {
  const Json slow = RunOf(WriteRun("r.h5", {FlowsOf(FanOutBesideALoss())}))["slow_flows"];
  ASSERT_EQ(slow["rows"].size(), 1U);
  const Json& row = slow["rows"][0];
  EXPECT_EQ(row["from"], "server 0 / GPU 0");
  EXPECT_EQ(row["to"], "server 1 / GPU 0");
  EXPECT_EQ(row["lost_ps"], 500);
  EXPECT_EQ(row["slowdown"], 1.5);
}

TEST(ReportSlowFlows, TheWorstIsTheFirst) {
  std::vector<FlowRow> flows;
  for (std::int64_t i = 0; i < 30; ++i)
    flows.push_back({3, 0, 1000, 10'000 * i, 1000 + 100 * ((7 * i) % 30), 1000});
  const Json rows = RunOf(WriteRun("r.h5", {FlowsOf(flows)}))["slow_flows"]["rows"];
  ASSERT_EQ(rows.size(), 20U);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i]["lost_ps"], 2900 - 100 * i);
}

TEST(ReportSlowFlows, NoneWithoutALossOrAnEnd) {
  const Json run = RunOf(
      WriteRun("r.h5", {FlowsOf({{0, 2, 1000, 0, 1009, 1000}, {1, 2, 1000, 0, -1, 1000, 4}})}));
  EXPECT_TRUE(run["slow_flows"].is_null());
}

/// Who shared a port cannot be known from some of the flows.
TEST(ReportSlowFlows, NoneOfASample) {
  const Json run =
      RunOf(WriteRun("r.h5", {FlowsOf(FanOutBesideALoss())}, {{"flows_planned", std::int64_t{4}}}));
  EXPECT_TRUE(run["slow_flows"].is_null());
}

}  // namespace
}  // namespace heddle
