// SPDX-License-Identifier: GPL-2.0-only
#include "io/analysis/result_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/made_result.h"
#include "tests/unit/io/two_leaves.h"

namespace heddle {
namespace {

ReportSource ViewOf(const MadeResult& result) {
  const std::string path = TempPath("view.h5");
  result.Write(path);
  return ReportSource(path);
}

std::int64_t EndOf(const MadeResult& result) { return ViewOf(result).end_ps(); }

// In this order: simulated_ps, until_ps of a run that did not end, the last end of jobs and flows.
TEST(ResultView, TheEndIsThatOfTheRunOrOfWhatRan) {
  MadeResult result = TraceResult();
  EXPECT_EQ(EndOf(result), 3000);
  result.root.erase("simulated_ps");
  EXPECT_EQ(EndOf(result), 2000) << "the second flow";
  result.values<std::int64_t>("flows", "start_ps") = {0, 500, 9000};
  EXPECT_EQ(EndOf(result), 2500) << "the third one did not end";
  result.tables.push_back(TableOf("jobs", 1, {{"end_ps", I64{2700}}}));
  EXPECT_EQ(EndOf(result), 2700);
  result.root["until_ps"] = std::int64_t{1234};
  EXPECT_EQ(EndOf(result), 1234);
  result.root["simulated_ps"] = std::int64_t{0};
  EXPECT_EQ(EndOf(result), 1) << "never 0, as others divide by it";
}

TEST(ResultView, KnowsTablesColumnsAndBackend) {
  MadeResult result = TraceResult();
  const ReportSource trace = ViewOf(result);
  EXPECT_TRUE(trace.Has("failures"));
  EXPECT_FALSE(trace.HasRows("failures"));
  EXPECT_FALSE(trace.Has("jobs"));
  EXPECT_FALSE(trace.HasRows("jobs"));
  EXPECT_TRUE(trace.HasColumn("flows", "request"));
  EXPECT_FALSE(trace.HasColumn("flows", "operation"));
  EXPECT_FALSE(trace.HasColumn("jobs", "job"));
  EXPECT_EQ(trace.backend(), "packet");
  EXPECT_TRUE(trace.carries_flows());
  result.root["backend"] = std::string("analytical");
  EXPECT_FALSE(ViewOf(result).carries_flows());
}

TEST(ResultView, NamesNodesAndLinks) {
  MadeResult result;
  result.tables = {ShapeTable(TwoLeaves()), LinkTable(TwoLeaves())};
  const ReportSource source = ViewOf(result);
  EXPECT_EQ(source.NodeName(2), "server 1 / GPU 0");
  EXPECT_EQ(source.NodeName(99), "node 99");
  const HopIndex up = source.HopOf("ports", 6, 3);
  EXPECT_EQ(source.LinkName(up), "leaf 0 -> spine 1");
  EXPECT_EQ(source.PeerName(up), "spine 1");
  EXPECT_EQ(source.RateOf(up), 100e9);
  EXPECT_EQ(source.tiers().names()[source.tiers().Of(up)], "leaf to spine");
}

// 4 NVLinks, 4 links of GPUs and 4 between leaves and spines, each in both directions.
TEST(ResultView, EveryDirectedLinkIsOfOneTier) {
  MadeResult result;
  result.tables = {ShapeTable(TwoLeaves()), LinkTable(TwoLeaves())};
  const ReportSource source = ViewOf(result);
  std::uint32_t links = 0;
  for (std::uint32_t tier = 0; tier < source.tiers().names().size(); ++tier)
    links += source.tiers().links(tier);
  EXPECT_EQ(links, 24u);
  EXPECT_EQ(links, source.numbers().count());
}

TEST(ResultView, APortThatTheFabricDoesNotHaveIsRefusedWithItsTable) {
  const ReportSource source = ViewOf(TraceResult());
  EXPECT_NE(MessageOf([&] { source.HopOf("drops", 99, 0); }).find("table drops: port 0 of node 99"),
            std::string::npos);
  EXPECT_NE(MessageOf([&] { source.HopOf("drops", 0, 2); }).find("table drops: port 2 of node 0"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
