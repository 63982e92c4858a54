// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_plot.h"

#include <gtest/gtest.h>

#include "core/app/launch/sweep_command/sweep_page.h"
#include "tests/support/message_of.h"
#include "tests/unit/app/launch/sweep_command/swept_runs.h"

namespace heddle {
namespace {

SweepPlot PlotOf(const SweptCase& swept, const PlotWish& wish) {
  return FindPlot(wish, swept.table, swept.runs);
}

std::string TextOf(const SweptCase& swept, const PlotWish& wish) {
  return PlotText(PlotOf(swept, wish), swept.table, swept.runs, swept.results);
}

TEST(SweepPlot, IsATableOfXByCurve) {
  const SweptCase four = FabricsAndSizes();
  const std::string expected =
      "bus bandwidth [GB/s] by size\n"
      "size        a      b\n"
      "64 KiB  20.00  40.00\n"
      "1 MiB    2.00   4.00\n";
  EXPECT_EQ(TextOf(four, {"busbw", "size", "topology"}), expected);
  EXPECT_EQ(TextOf(four, {"busbw", "", ""}), expected) << "the axis of numbers is x";
  EXPECT_EQ(TextOf(four, {"step", "topology", ""}),
            "time of a step [us] by topology\n"
            "topology  64 KiB   1 MiB\n"
            "a          10.00  100.00\n"
            "b           5.00   50.00\n");
}

TEST(SweepPlot, FiguresHaveSeveralNames) {
  const SweptCase four = FabricsAndSizes();
  for (const char* name : {"step", "step time", "step_us", "STEP-TIME"})
    EXPECT_EQ(PlotOf(four, {name, "", ""}).column, "step_us") << name;
  EXPECT_EQ(PlotOf(four, {"p99 completion", "", ""}).column, "fct_p99_us");
  EXPECT_EQ(PlotOf(four, {"slowdown", "", ""}).column, "slowdown_p99");
  // Every figure of the table can be drawn by its column.
  for (const auto& column : FigureColumns())
    EXPECT_EQ(PlotOf(four, {column.key, "", ""}).column, column.key);
}

TEST(SweepPlot, AxesHaveTheNamesOfTheirOptions) {
  SweptCase four = FabricsAndSizes();
  four.table.axes[0] = AxisOfValues("transport.congestion_control", {"1", "3"});
  four.table.fixed.push_back({"topology", "a.txt", {"t.toml", 2}});
  four.runs = ExpandSweep(four.table);
  for (const char* name :
       {"transport.congestion_control", "congestion_control", "CC_MODE", "cc_mode"})
    EXPECT_EQ(PlotOf(four, {"step", "size", name}).by, 0U) << name;
  EXPECT_NE(TextOf(four, {"step", "size", ""}).find("congestion_control 1  congestion_control 3"),
            std::string::npos);
}

TEST(SweepPlot, WhatIsMistypedHasItsNearest) {
  const SweptCase four = FabricsAndSizes();
  const auto refusal = [&](const PlotWish& wish) {
    return MessageOf([&] { PlotOf(four, wish); }, ExitCode::kUsage);
  };
  EXPECT_EQ(
      refusal({"buswb", "", ""})
          .find(
              "--plot: no figure of the table is 'buswb'; the nearest is busbw. Expected: step, "),
      0U)
      << refusal({"buswb", "", ""});
  EXPECT_EQ(refusal({"busbw", "sise", ""}),
            "--x: nothing that varies is 'sise'; the nearest is size. Expected: topology, size");
  EXPECT_EQ(refusal({"busbw", "size", "seed"}).find("--by: nothing that varies is 'seed'"), 0U);
  EXPECT_EQ(
      refusal({"busbw", "size", "size"}).find("--x and --by: 'size' and 'size' vary together"), 0U);
  SweptCase one = four;
  one.table.axes.clear();
  one.table.fixed.push_back({"topology", "a.txt", {"t.toml", 2}});
  one.table.fixed.push_back({"size", "64", {"t.toml", 2}});
  one.runs = ExpandSweep(one.table);
  EXPECT_EQ(MessageOf(
                [&] {
                  PlotOf(one, {"busbw", "", ""});
                },
                ExitCode::kUsage)
                .find("--plot: nothing varies."),
            0U);
}

/// A third axis does not mix the runs of a curve.
TEST(SweepPlot, CurvesAreToldApartByAllThatVaries) {
  SweptCase eight = FabricsAndSizes();
  eight.table.axes.push_back(AxisOfValues("seed", {"1", "2"}));
  eight.runs = ExpandSweep(eight.table);
  std::vector<SweepResult> results;
  for (const SweepResult& result : eight.results) results.insert(results.end(), 2, result);
  eight.results = results;
  eight.results[1].figures.drops = 9;
  EXPECT_EQ(TextOf(eight, {"drops", "size", "seed"}),
            "packets dropped by size\n"
            "size    seed 1, a  seed 2, a  seed 1, b  seed 2, b\n"
            "64 KiB          3          9          3          3\n"
            "1 MiB           3          3          3          3\n");
}

/// Lists of a zip are no curves of each other.
TEST(SweepPlot, WhatVariesWithXIsNoCurve) {
  SweptCase zipped = FabricsAndSizes();
  zipped.table.axes[0].zip = zipped.table.axes[1].zip = 1;
  zipped.runs = ExpandSweep(zipped.table);
  zipped.results.resize(2);
  EXPECT_EQ(TextOf(zipped, {"step", "size", ""}),
            "time of a step [us] by size\n"
            "size    time of a step\n"
            "64 KiB           10.00\n"
            "1 MiB           100.00\n");
}

TEST(SweepPlot, ThePageHasItsOwnUnits) {
  SweptCase four = FabricsAndSizes();
  four.results[2].figures.busbw_gbyte_per_s.reset();
  const SweptPlot page =
      PlotOfPage(PlotOf(four, {"busbw", "size", "topology"}), four.results, {0, 2});
  EXPECT_EQ(page.unit, "B/s");
  EXPECT_EQ(page.x, 1U);
  EXPECT_EQ(page.by, 0U);
  ASSERT_EQ(page.values.size(), 2U);
  EXPECT_DOUBLE_EQ(*page.values[0], 20e9);
  EXPECT_FALSE(page.values[1]);
}

TEST(SweepPage, ValuesAreTextsWhereTheyHaveWords) {
  const SweptCase four = FabricsAndSizes();
  EXPECT_EQ(PageValues(four.table, four.runs[1]), (std::vector<std::string>{"a", "1048576"}));
  EXPECT_FALSE(SweptOf(four.table).same_traffic) << "sizes differ";
  EXPECT_EQ(PlotHint(four.table, four.runs, four.results),
            "; --plot busbw --x size --by topology draws one figure");
}

}  // namespace
}  // namespace heddle
