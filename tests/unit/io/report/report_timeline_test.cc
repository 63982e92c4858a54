// SPDX-License-Identifier: GPL-2.0-only
/// Time lines on the page: which GPUs, which lanes, and what is joined.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/report/workload/timeline_lanes.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

constexpr std::int64_t kMs = 1'000'000'000;

TEST(TimelineLanes, JoinsWhatIsTooShortToBeSeen) {
  const std::vector<TimelineBar> joined = JoinShortBars(
      {{500, 600, 3}, {0, 4, 0}, {6, 9, 1}, {12, 100, 2}, {150, 200, 4}, {601, 700, 5}}, 10);
  ASSERT_EQ(joined.size(), 4u);
  EXPECT_EQ(joined[0].start_ps, 0);
  EXPECT_EQ(joined[0].end_ps, 100) << "short ones and their neighbour";
  EXPECT_EQ(joined[0].label, 0u);
  EXPECT_EQ(joined[0].together, 3u);
  EXPECT_EQ(joined[1].start_ps, 150);
  EXPECT_EQ(joined[2].end_ps, 600) << "two long neighbours stay apart";
  EXPECT_EQ(joined[3].together, 1u);
}

TEST(TimelineLanes, JoinsWhatOverlaps) {
  const std::vector<TimelineBar> joined =
      JoinShortBars({{0, 100, 0}, {50, 80, 1}, {90, 200, 2}}, 1);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].end_ps, 200);
  EXPECT_EQ(joined[0].together, 3u);
  EXPECT_TRUE(JoinShortBars({}, 1).empty());
}

TEST(TimelineLanes, TheirNumberIsBounded) {
  std::vector<TimelineBar> bars;
  for (std::int64_t i = 0; i < 100'000; ++i) bars.push_back({10 * i, 10 * i + 5});
  EXPECT_LE(JoinShortBars(bars, 1000).size(), 2'001u);
  for (TimelineBar& bar : bars) bar.end_ps = bar.start_ps + (bar.start_ps % 700);
  EXPECT_LE(JoinShortBars(bars, 1000).size(), 2'001u);
}

TEST(TimelineLanes, SpreadsEvenly) {
  using Numbers = std::vector<std::uint32_t>;
  EXPECT_EQ(SpreadEvenly(3, 8), (Numbers{0, 1, 2}));
  EXPECT_EQ(SpreadEvenly(9, 3), (Numbers{0, 4, 8}));
  EXPECT_EQ(SpreadEvenly(9, 1), Numbers{0});
  EXPECT_TRUE(SpreadEvenly(0, 4).empty());
}

/// 80 GPUs in two stages of 40; each computes 1 ms, then is in an AllToAll of EP for 2 ms and in an
/// AllReduce of DP for 3 ms. The groups are in this order in table "operations".
std::vector<Table> TimelineTables() {
  const Table jobs =
      TableOf("jobs", 1,
              {{"gpus", U32{80}}, {"pp", U32{2}}, {"passes", U32{1}}, {"end_ps", I64{10 * kMs}}});
  U32 number, gpu, layer;
  Texts phase;
  I64 operation, start, end, ended;
  for (std::uint32_t i = 0; i < 80; ++i) {
    number.push_back(i);
    ended.push_back(10 * kMs);
    for (std::int64_t what = -1; what < 2; ++what) {
      gpu.push_back(i);
      layer.push_back(7);
      phase.push_back("fwd");
      operation.push_back(what);
      start.push_back(what < 0 ? 0 : kMs);
      end.push_back((what + 2) * kMs);
    }
  }
  const Table ranks = TableOf("ranks", 80, {{"rank", number}, {"gpu", number}, {"end_ps", ended}});
  const Table steps = TableOf("steps", gpu.size(),
                              {{"gpu", gpu},
                               {"layer", layer},
                               {"phase", phase},
                               {"operation", operation},
                               {"start_ps", start},
                               {"end_ps", end}});
  const Table operations = TableOf("operations", 2,
                                   {{"operation", U32{0, 1}},
                                    {"layer", U32{7, 7}},
                                    {"phase", Texts{"fwd", "fwd"}},
                                    {"op", Texts{"ALLTOALL", "ALLREDUCE"}},
                                    {"group_type", Texts{"EP", "DP"}},
                                    {"layer_name", Texts{"moe", "moe"}}});
  return {jobs, ranks, operations, steps};
}

TEST(ReportTimeline, ShowsGpusOfEachStage) {
  const Json line =
      RunOf(WriteRun("r.h5", TimelineTables(), {{"simulated_ps", 10 * kMs}}))["timeline"];
  EXPECT_EQ(line["lanes"], Json({"computing", "EP", "DP"}));
  EXPECT_EQ(line["gpus"], 80);
  EXPECT_EQ(line["stages"], 2);
  EXPECT_EQ(line["end_ps"], 10 * kMs);
  ASSERT_EQ(line["rows"].size(), 24u);
  EXPECT_EQ(line["rows"][0]["stage"], 0);
  EXPECT_EQ(line["rows"][0]["name"], "server 0 / GPU 0");
  EXPECT_EQ(line["rows"][11]["stage"], 0);
  EXPECT_EQ(line["rows"][12]["stage"], 1);
  const Json& labels = line["labels"];
  const Json& bars = line["rows"][0]["bars"];
  ASSERT_EQ(bars.size(), 3u * 5);
  const std::vector<std::string> names = {"fwd computing of layer 7",
                                          "fwd ALLTOALL of EP, layer 7 moe",
                                          "fwd ALLREDUCE of DP, layer 7 moe"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bars[5 * i], i);
    EXPECT_EQ(bars[5 * i + 1], i == 0 ? 0 : kMs);
    EXPECT_EQ(bars[5 * i + 2], static_cast<std::int64_t>(i == 0 ? 1 : i) * kMs);
    EXPECT_EQ(labels[bars[5 * i + 3].get<std::size_t>()], names[i]);
    EXPECT_EQ(bars[5 * i + 4], 1);
  }
}

TEST(ReportTimeline, IsNullWithoutTimeLines) {
  std::vector<Table> tables = TimelineTables();
  tables.pop_back();
  EXPECT_TRUE(RunOf(WriteRun("r.h5", tables))["timeline"].is_null());
}

}  // namespace
}  // namespace heddle
