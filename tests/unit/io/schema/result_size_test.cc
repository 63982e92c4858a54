// SPDX-License-Identifier: GPL-2.0-only
#include "io/schema/result_size.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

ResultRows Flows(double flows, double labelled) {
  ResultRows rows;
  rows.flows = flows;
  rows.labelled_flows = labelled;
  return rows;
}

TEST(ResultSize, GrowsByRow) {
  const ResultSize none = EstimateResultSize({});
  EXPECT_GT(none.result, 0);
  EXPECT_EQ(none.beside, 0);
  EXPECT_EQ(EstimateResultSize(Flows(1e9, 0)).result, none.result + 16e9);
  EXPECT_EQ(EstimateResultSize(Flows(1e9, 1e9)).result, none.result + 6e9);
  EXPECT_EQ(EstimateResultSize(Flows(1e9, 1e9)).beside, 94e9);
  ResultRows rows = Flows(1000, 1000);
  for (double ResultRows::*kind : {&ResultRows::decisions, &ResultRows::steps, &ResultRows::layers,
                                   &ResultRows::links, &ResultRows::collectives}) {
    const ResultSize before = EstimateResultSize(rows);
    rows.*kind = 1e6;
    EXPECT_GT(EstimateResultSize(rows).result, before.result + 1e6);
    EXPECT_GE(EstimateResultSize(rows).beside, before.beside);
  }
}

/// The runs of docs/models/statistics.md, less what format 3.0 saves of any file (177,215 bytes of
/// a trace's, 355,105 of a workload's): the estimate is at least their size, and at most twice
/// that, except for the last.
TEST(ResultSize, IsNearWhatRunsTook) {
  struct Run {
    double flows, labelled, decisions, steps, layers, links, took;
  };
  for (const Run& run :
       {Run{300'000, 0, 0, 0, 0, 384, 2'540'756}, Run{300'000, 0, 262'524, 0, 0, 384, 5'886'859},
        Run{60'000, 0, 0, 0, 0, 384, 845'506}, Run{260'096, 260'096, 0, 256, 128, 384, 1'323'342},
        Run{65'024, 65'024, 0, 1024, 512, 384, 403'440}}) {
    const double size = EstimateResultSize({run.flows, run.labelled, run.decisions, run.steps,
                                            run.layers, run.links})
                            .result;
    EXPECT_GE(size, run.took);
    EXPECT_LE(size, 2 * run.took);
  }
}

TEST(ResultSize, MonitorsByTheirIntervals) {
  EXPECT_EQ(MostMonitorBytes(100, 0, 50, 0), 0);
  EXPECT_DOUBLE_EQ(MostMonitorBytes(100, 1e-3, 50, 0), 100e3 * 29);
  EXPECT_DOUBLE_EQ(MostMonitorBytes(100, 1e-3, 50, 1e-4), 100e3 * 29 + 500e3 * 24);
}

}  // namespace
}  // namespace heddle
