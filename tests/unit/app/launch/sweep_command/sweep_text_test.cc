// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_text.h"

#include <gtest/gtest.h>

#include "tests/unit/app/launch/sweep_command/swept_runs.h"

namespace heddle {
namespace {

TEST(SweepText, ComparesTimesOfTheSameTraffic) {
  const SweptCase four = FabricsAndSizes();
  EXPECT_EQ(SweepText(four.table, four.runs, four.results),
            "topology  size    step us  exposed us  busbw GB/s  to the first\n"
            "a         64 KiB     10.0         5.0       20.00\n"
            "a         1 MiB     100.0        50.0        2.00\n"
            "b         64 KiB      5.0         2.5       40.00       -50.0 %\n"
            "b         1 MiB      50.0        25.0        4.00       -50.0 %\n");
}

TEST(SweepText, RunsWithoutAResultHaveTheirState) {
  SweptCase four = FabricsAndSizes();
  four.results[0] = {};
  four.results[1].state = RunState::kFailed;
  four.results[1].figures = {};
  const std::string text = SweepText(four.table, four.runs, four.results);
  EXPECT_NE(text.find("a         64 KiB  missing           -           -\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("a         1 MiB    failed           -           -\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find('%'), std::string::npos) << "nothing is left to compare with\n" << text;
  for (SweepResult& result : four.results) result = {};
  EXPECT_EQ(SweepText(four.table, four.runs, four.results), "");
}

TEST(SweepText, FlowsHaveOtherColumns) {
  SweptCase four = FabricsAndSizes();
  for (SweepResult& result : four.results) {
    result.figures.step_us.reset();
    result.figures.exposed_us.reset();
    result.figures.fct_p99_us = 7;
  }
  const std::string text = SweepText(four.table, four.runs, four.results);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "topology  size    completion us  p99 fct us  to the first");
}

TEST(SweepText, LongTablesAreCut) {
  SweptCase many = FabricsAndSizes();
  many.table.axes = {AxisOfValues("seed", {})};
  for (int i = 0; i < 70; ++i)
    many.table.axes[0].values.push_back({"seed", std::to_string(i), {"t.toml", 3}});
  many.table.fixed.push_back({"size", "64", {"t.toml", 2}});
  many.table.fixed.push_back({"topology", "a.txt", {"t.toml", 2}});
  many.runs = ExpandSweep(many.table);
  many.results.assign(70, many.results[0]);
  const std::string text = SweepText(many.table, many.runs, many.results);
  EXPECT_NE(text.find("and 10 more; table.csv"), std::string::npos) << text;
}

TEST(SweepText, AZipHasOneColumnIfItTellsItsRowsApart) {
  SweptCase four = FabricsAndSizes();
  four.table.axes[0].zip = four.table.axes[1].zip = 1;
  four.runs = ExpandSweep(four.table);
  EXPECT_EQ(VaryingAxes(four.table, four.runs), std::vector<std::size_t>{0});
}

TEST(FailureText, NamesRunsByReason) {
  SweptCase four = FabricsAndSizes();
  EXPECT_EQ(FailureText(four.runs, four.results), "");
  for (const std::size_t row : {0, 1}) {
    four.results[row].state = RunState::kFailed;
    four.results[row].reason = "in/a.txt: cannot be read";
  }
  four.results[2].state = RunState::kStalled;
  four.results[2].reason = "3 GPUs did not come to the end of their programs";
  EXPECT_EQ(FailureText(four.runs, four.results),
            "a_64KiB, a_1MiB: failed: in/a.txt: cannot be read\n"
            "b_64KiB: stalled: 3 GPUs did not come to the end of their programs\n");
}

TEST(SweepCsv, HasAnswersForPrograms) {
  SweptCase four = FabricsAndSizes();
  four.results[3] = {};
  const std::string csv = SweepCsv(four.table, four.runs, four.results, {true, false, {}, {}});
  EXPECT_EQ(
      csv.substr(0, csv.find('\n', csv.find('\n') + 1)),
      "run,topology,size,state," + FiguresHeader() +
          ",knee\na_64KiB,a.txt,65536,done,10.000,10.000,5.000,20.000,,,,,,,3,,,,,,,,,,,,,,1");
  EXPECT_NE(csv.find("\nb_1MiB,b.txt,1048576,missing,,,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace heddle
