// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/launch/sweep_command/sweep_knee.h"

#include <gtest/gtest.h>

#include "tests/unit/app/launch/sweep_command/swept_runs.h"

namespace heddle {
namespace {

/// Two fabrics at the rates 8, 4 and 12; `kept`: by run.
SweptCase Rates(const std::vector<double>& kept) {
  SweptCase made = FabricsAndSizes();
  made.table.axes[1] = AxisOfValues("serve.rate", {"8", "4", "12"});
  made.table.fixed = {
      {"serve.deployment", "d.toml", {"t.toml", 2}},
      {"serve.requests", "poisson,rate=1,count=9,input=10,output=2", {"t.toml", 3}}};
  made.runs = ExpandSweep(made.table);
  made.results.assign(kept.size(), {});
  for (std::size_t row = 0; row < kept.size(); ++row) {
    made.results[row].state = RunState::kDone;
    made.results[row].figures.ttft_p50_us = 1000;
    made.results[row].figures.kept = kept[row];
  }
  return made;
}

// The highest rate at which 90 % are kept, and at all lower ones: that 12 is kept by chance does
// not count where 8 is not.
TEST(SweepKnee, IsTheHighestRateBelowWhichAllAreKept) {
  const SweptCase made = Rates({0.95, 1, 0.4, 0.5, 0.9, 0.99});
  const std::vector<SweepKnee> knees = FindKnees(made.table, made.runs, made.results);
  ASSERT_EQ(knees.size(), 2U);
  EXPECT_EQ(knees[0].rows, (std::vector<std::size_t>{1, 0, 2}));  // by rate
  const std::vector<std::optional<bool>> marks = MarkKnees(made.runs.size(), knees);
  const std::vector<std::optional<bool>> expected = {true, false, false, false, true, false};
  EXPECT_EQ(marks, expected);
  EXPECT_EQ(KneeSentences(made.table, made.runs, made.results),
            (std::vector<std::string>{
                "knee of a: rate 8; at rate 8 95.0 % of requests kept the level; at rate 12 40.0 % "
                "of requests kept the level",
                "knee of b: rate 4; at rate 4 90.0 % of requests kept the level; at rate 8 50.0 % "
                "of requests kept the level"}));
}

TEST(SweepKnee, BeyondTheRatesThatWereTried) {
  const SweptCase made = Rates({0.95, 1, 0.9, 0.5, 0.8, 0.1});
  const std::vector<std::string> sentences = KneeSentences(made.table, made.runs, made.results);
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_NE(sentences[0].find("rate 12; "), std::string::npos);
  EXPECT_NE(sentences[0].find("no higher one was tried"), std::string::npos);
  EXPECT_EQ(sentences[1], "knee of b: below rate 4; at rate 4 80.0 % of requests kept the level");
}

TEST(SweepKnee, NeedsALevelAndRates) {
  SweptCase made = Rates({1, 1, 1, 1, 1, 1});
  for (SweepResult& result : made.results) result.figures.kept.reset();
  EXPECT_TRUE(FindKnees(made.table, made.runs, made.results).empty());
  const SweptCase sizes = FabricsAndSizes();
  EXPECT_TRUE(FindKnees(sizes.table, sizes.runs, sizes.results).empty());
}

}  // namespace
}  // namespace heddle
