// SPDX-License-Identifier: GPL-2.0-only
/// The drawn fabric's data of flows and monitors whose loads are known. 400 Gbit/s are 50,000 bytes
/// in a bin of 1 us; there are 64 bins.
#include <gtest/gtest.h>

#include "io/links/link_times.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

constexpr std::int64_t kUs = 1'000'000;
const std::vector<Attribute> kRun = {{"simulated_ps", 64 * kUs}};

/// The lane with this busiest link; null if there is none.
Json LaneOf(const Json& fabric, const std::string& name) {
  for (const Json& lane : fabric["lanes"]) {
    if (!lane.is_null() && lane["name"] == name) return lane;
  }
  return nullptr;
}

TEST(ReportFabric, SpreadsFlowsOverTheirTime) {
  const Json fabric = RunOf(WriteRun("r.h5",
                                     {FlowsOf({{0, 2, 800'000, 0, 16 * kUs, 1},
                                               {1, 2, 100'000, 32 * kUs, 8 * kUs, 1},
                                               {0, 3, 50'000, 32 * kUs, 4 * kUs, 1}})},
                                     kRun))["fabric"];
  EXPECT_EQ(fabric["shape"], "levels");
  EXPECT_EQ(fabric["origin"], "flows");
  EXPECT_EQ(fabric["bins"], 64);
  const Json up = LaneOf(fabric, "server 0 / GPU 0 -> switch 0");
  ASSERT_FALSE(up.is_null());
  EXPECT_EQ(up["heat"][0], 100);
  EXPECT_EQ(up["heat"][15], 100);
  EXPECT_EQ(up["heat"][16], 0);
  EXPECT_EQ(up["heat"][33], 25) << "of its two cables, each 25 %, the busiest counts";
  EXPECT_EQ(LaneOf(fabric, "switch 0 -> server 0 / GPU 0"), Json());
  // In bin 33: 12,500 bytes of each of two flows, the first pair by number first.
  for (const Json& at : up["users"]) {
    if (at[0] != 33) continue;
    EXPECT_EQ(at.size(), 3u + 2 * 2);
    EXPECT_EQ(at[1], 2);
    EXPECT_EQ(at[4], 12'500);
    const Json& user = fabric["users"][at[3].get<std::size_t>()];
    EXPECT_EQ(fabric["nodes"][user[0].get<std::size_t>()], "server 0 / GPU 0");
    EXPECT_EQ(fabric["nodes"][user[1].get<std::size_t>()], "server 1 / GPU 1");
  }
  EXPECT_EQ(up["users"].size(), 16u + 8) << "no bin without a flow";
}

TEST(ReportFabric, AMonitorMeasuresTheUse) {
  const Table monitor = TableOf("monitors/links", 3,
                                {{"time_ps", I64{16 * kUs, 32 * kUs, 64 * kUs}},
                                 {"node", U32{0, 0, 0}},
                                 {"port", U32{1, 1, 1}},
                                 {"sent_bytes", I64{400'000, 0, 800'000}}});
  const Json fabric = RunOf(
      WriteRun("r.h5", {FlowsOf({{0, 2, 800'000, 0, 16 * kUs, 1}}), monitor}, kRun))["fabric"];
  EXPECT_EQ(fabric["origin"], "monitor");
  EXPECT_EQ(fabric["bins"], 3) << "no more than it has samples";
  const Json lane = LaneOf(fabric, "server 0 / GPU 0 -> switch 0");
  EXPECT_EQ(lane["heat"][0], 38) << "400,000 of 1,066,667 bytes";
  EXPECT_EQ(lane["heat"][1], 25) << "a third of the last interval";
  EXPECT_EQ(lane["heat"][2], 50);
}

TEST(ReportFabric, WithoutFlowsTheWholeRunIsOneMoment) {
  const Json fabric = RunOf(WriteRun("r.h5", {PortsOf({{0, 1, 1'600'000}})}, kRun))["fabric"];
  EXPECT_EQ(fabric["origin"], "totals");
  EXPECT_EQ(LaneOf(fabric, "server 0 / GPU 0 -> switch 0")["heat"], Json::array({50}));
  EXPECT_NE(fabric["unknown"].get<std::string>().find("--record flows=all"), std::string::npos);
  EXPECT_TRUE(RunOf(WriteRun("none.h5", {}))["fabric"].is_null()) << "nothing was sent";
}

TEST(LinkTimes, BytesAddUpToTheFlows) {
  const ReportSource source(WriteRun("r.h5",
                                     {FlowsOf({{0, 2, 800'000, 3, 16 * kUs, 1},
                                               {0, 3, 1, 63 * kUs, kUs, 1},
                                               {0, 2, 999, 40 * kUs, -1, 1, 5}})},
                                     kRun));
  const LinkTimes times(source, std::nullopt);
  const HopIndex own = source.numbers().Of(NodeId(0), PortId(1));
  for (const std::size_t bins : {1, 7, 64, 1000}) {
    double sum = 0;
    for (const double bytes : times.BytesOver(own, bins)) sum += bytes;
    EXPECT_NEAR(sum, 801'000, 1e-3) << bins << " bins";
  }
  EXPECT_NEAR(times.BytesOver(own, 64)[5], 50'000, 1e-3);
  EXPECT_NEAR(times.BytesOver(own, 64)[63], 1 + 999.0 / 24, 1e-3);
}

}  // namespace
}  // namespace heddle
