// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep/sweep_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/app/base/processes/own_program.h"
#include "core/app/launch/sweep/sweep_launch.h"
#include "io/analysis/sweep_figures.h"
#include "tests/support/message_of.h"

namespace heddle {
namespace {

using Words = std::vector<std::string>;

SweepEntry Entry(const std::string& key, const std::string& value) {
  return {key, value, {"t.toml", 7}};
}

SweepAxis Axis(const std::string& key, const Words& values) {
  SweepAxis axis{key, {}};
  for (const std::string& value : values) axis.values.push_back(Entry(key, value));
  return axis;
}

/// Two fabrics, two sizes of an AllReduce, two congestion controls.
SweepTable TableOfEight() {
  SweepTable table;
  table.file = "t.toml";
  table.output = "out";
  table.fixed = {Entry("collective", "ALLREDUCE DP"), Entry("seed", "5")};
  table.axes = {Axis("topology", {"in/rail.txt", "in/dual.txt"}), Axis("size", {"1048576", "3000"}),
                Axis("CC_MODE", {"1", "3"})};
  return table;
}

TEST(SweepRuns, AreAllCombinationsTheLastAxisFastest) {
  Words names;
  for (const SweepRun& run : ExpandSweep(TableOfEight())) names.push_back(run.name);
  EXPECT_EQ(names, (Words{"rail_1MiB_CC_MODE-1", "rail_1MiB_CC_MODE-3", "rail_3000B_CC_MODE-1",
                          "rail_3000B_CC_MODE-3", "dual_1MiB_CC_MODE-1", "dual_1MiB_CC_MODE-3",
                          "dual_3000B_CC_MODE-1", "dual_3000B_CC_MODE-3"}));
}

TEST(SweepRuns, BecomeTheWordsOfHeddleRun) {
  const SweepRun run = ExpandSweep(TableOfEight()).at(5);
  EXPECT_EQ(run.words, (Words{"--seed", "5", "-n", "in/dual.txt", "--set", "CC_MODE=3", "-w",
                              "out/inputs/dual_1MiB_CC_MODE-3.txt", "-o",
                              "out/dual_1MiB_CC_MODE-3.h5", "--restart", "auto"}));
  EXPECT_EQ(run.values, (Words{"dual.txt", "1048576", "3"}));
  EXPECT_EQ(run.shown, (Words{"dual", "1 MiB", "3"}));
  EXPECT_EQ(run.workload_text, "1 ALLREDUCE 1048576 DP\n");
}

TEST(SweepRuns, NamesDoNotDependOnWhatElseIsVaried) {
  SweepTable more = TableOfEight();
  more.axes[1].values.insert(more.axes[1].values.begin(), Entry("size", "64"));
  Words names;
  for (const SweepRun& run : ExpandSweep(more)) names.push_back(run.name);
  for (const SweepRun& run : ExpandSweep(TableOfEight())) {
    EXPECT_NE(std::find(names.begin(), names.end(), run.name), names.end()) << run.name;
  }
}

TEST(SweepRuns, NamesAreFileNames) {
  SweepTable table = TableOfEight();
  table.axes = {Axis("topology", {"../a b/$(x);.txt"}), Axis("size", {"1073741824"}),
                Axis("failures", {"-f.csv"})};
  EXPECT_EQ(ExpandSweep(table).at(0).name, "_-x--_1GiB_-f");
}

TEST(SweepRuns, CollectivesMayBeNamedAsNcclTestsDo) {
  SweepTable table = TableOfEight();
  table.fixed[0].value = "reduce_scatter_perf EP";
  EXPECT_EQ(ExpandSweep(table).at(0).workload_text, "1 REDUCESCATTER 1048576 EP\n");
}

TEST(SweepRuns, ListsOfAZipVaryTogether) {
  SweepTable table = TableOfEight();
  table.axes[0].zip = table.axes[1].zip = 1;
  std::vector<Words> values;
  for (const SweepRun& run : ExpandSweep(table)) values.push_back(run.values);
  EXPECT_EQ(values, (std::vector<Words>{{"rail.txt", "1048576", "1"},
                                        {"rail.txt", "1048576", "3"},
                                        {"dual.txt", "3000", "1"},
                                        {"dual.txt", "3000", "3"}}));
}

TEST(SweepRuns, RecordsAreSeveralWords) {
  SweepTable table = TableOfEight();
  table.fixed.push_back(Entry("record", "flows=none,timeline=none"));
  const Words words = ExpandSweep(table).at(0).words;
  EXPECT_EQ(std::count(words.begin(), words.end(), "--record"), 2);
  EXPECT_EQ(std::count(words.begin(), words.end(), "timeline=none"), 1);
}

TEST(SweepRuns, RefusesWhatCannotRun) {
  const auto refusal = [](const SweepTable& table) {
    return MessageOf([&] { ExpandSweep(table); });
  };
  SweepTable twice = TableOfEight();
  twice.axes[0] = Axis("topology", {"a/x.txt", "a/x.txt"});
  EXPECT_EQ(refusal(twice).find("t.toml: runs 0 and 4 have the name 'a-x.txt_"), 0U)
      << refusal(twice);
  SweepTable no_size = TableOfEight();
  no_size.axes.erase(no_size.axes.begin() + 1);
  EXPECT_EQ(refusal(no_size).find("t.toml:7: 'collective' without 'size'. E"), 0U)
      << refusal(no_size);
  SweepTable odd = TableOfEight();
  odd.fixed[0].value = "ALLSORTS DP";
  EXPECT_EQ(refusal(odd).find("t.toml:7: collective 'ALLSORTS DP' of 1048576 bytes. Exp"), 0U)
      << refusal(odd);
  SweepTable no_traffic = TableOfEight();
  no_traffic.fixed.clear();
  no_traffic.axes.erase(no_traffic.axes.begin() + 1);
  EXPECT_EQ(
      refusal(no_traffic).find("t.toml: run 'rail_CC_MODE-1': heddle run needs traffic: one "), 0U)
      << refusal(no_traffic);
  SweepTable many = TableOfEight();
  for (int i = 0; i < 6; ++i) many.axes.push_back(Axis("seed", Words(10, "1")));
  EXPECT_EQ(refusal(many).find("t.toml: more than 100000 runs"), 0U) << refusal(many);
  SweepTable bad_seed = TableOfEight();
  bad_seed.fixed[1].value = "x";
  EXPECT_NE(refusal(bad_seed).find("--seed: found 'x'"), std::string::npos);
}

TEST(SweepLaunch, ArraysAreRanges) {
  EXPECT_EQ(ArrayText({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(ArrayText({0, 2, 3, 9}), "0,2-3,9");
  EXPECT_EQ(ArrayText({7}), "7");
}

TEST(SweepLaunch, StartsRanksByALauncher) {
  const SweepRun run{"x", "x.h5", {"-o", "x.h5"}, {}, "", ""};
  LaunchPlan plan;
  EXPECT_EQ(CommandOf(plan, run), (Words{OwnPath(), "run", "-o", "x.h5"}));
  plan.ranks = 3;
  EXPECT_EQ(CommandOf(plan, run), (Words{"mpirun", "-n", "3", OwnPath(), "run", "-o", "x.h5"}));
  plan.launcher = {"srun", "--mpi=pmix"};
  EXPECT_EQ(CommandOf(plan, run),
            (Words{"srun", "--mpi=pmix", "-n", "3", OwnPath(), "run", "-o", "x.h5"}));
}

TEST(SweepFigures, AsManyFieldsAsNames) {
  const std::string header = FiguresHeader(), none = FiguresLine(SweepFigures());
  EXPECT_EQ(std::count(header.begin(), header.end(), ','),
            std::count(none.begin(), none.end(), ','));
}

}  // namespace
}  // namespace heddle
