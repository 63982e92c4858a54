// SPDX-License-Identifier: GPL-2.0-only
/// The parts of a step, and the sentence on top of the page, from results of ResultWriter.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "io/analysis/step_shares.h"
#include "io/report/report_headline.h"
#include "tests/unit/io/report/report_runs.h"

namespace heddle {
namespace {

constexpr std::int64_t kMicro = 1'000'000;

/// A job of two GPUs, two passes of 1000 us each: GPU 0 computes 400 us of a pass and waits 500 us
/// for EP and 100 us for DP, GPU 1 as well, but `more` us longer for EP instead of having ended.
std::vector<Table> StepTables(std::int64_t more, std::int64_t kind_us) {
  const std::int64_t end = 2000 + 2 * more;
  const Table jobs = TableOf(
      "jobs", 1,
      {{"gpus", U32{2}}, {"passes", U32{2}}, {"start_ps", I64{0}}, {"end_ps", I64{end * kMicro}}});
  const Table ranks = TableOf(
      "ranks", 2,
      {{"rank", U32{0, 1}}, {"gpu", U32{0, 1}}, {"end_ps", I64{2000 * kMicro, end * kMicro}}});
  const Table operations = TableOf("operations", 2,
                                   {{"operation", U32{0, 1}},
                                    {"layer", U32{0, 0}},
                                    {"phase", Texts{"fwd", "wg"}},
                                    {"op", Texts{"ALLTOALL", "ALLREDUCE"}},
                                    {"group_type", Texts{"EP", "DP"}}});
  const Table layers = TableOf("layers", 2,
                               {{"rank", U32{0, 1}},
                                {"fwd_compute_ps", I64{800 * kMicro, 800 * kMicro}},
                                {"fwd_exposed_ps", I64{1000 * kMicro, (1000 + 2 * more) * kMicro}},
                                {"wg_exposed_ps", I64{200 * kMicro, 200 * kMicro}}});
  const Table collectives = TableOf("collectives", 2,
                                    {{"operation", U32{0, 1}},
                                     {"op", Texts{"ALLTOALL", "ALLREDUCE"}},
                                     {"group_type", Texts{"EP", "DP"}},
                                     {"time_ps", I64{kind_us * kMicro, 50 * kMicro}}});
  const Table load =
      TableOf("tier_load", 4,
              {{"from_ps", I64{0, 600 * kMicro, 1600 * kMicro, 0}},
               {"to_ps", I64{600 * kMicro, 1600 * kMicro, 2000 * kMicro, 2000 * kMicro}},
               {"tier", Texts{"host to leaf", "host to leaf", "host to leaf", "NVLink"}},
               {"utilisation", F64{0.2, 0.95, 0.3, 1}}});
  return {jobs, ranks, operations, layers, collectives, load};
}

std::string WriteStep(const std::string& name, std::int64_t more, std::int64_t kind_us,
                      const std::string& digest = "00") {
  return WriteRun(name, StepTables(more, kind_us), {{"workload_digest", digest}});
}

TEST(StepShares, AddUpToTheStep) {
  const ReportSource source(WriteStep("a.h5", 100, 200));
  const std::vector<StepShare> shares = StepSharesOf(source, 0, ReadStepTimes(source).Of(0));
  std::map<std::string, double> us;
  double sum = 0;
  for (const StepShare& share : shares) {
    us[share.name] = share.ps / kMicro;
    sum += share.ps / kMicro;
  }
  EXPECT_NEAR(sum, 2200, 1e-6);
  EXPECT_NEAR(us["computing"], 800, 1e-6);
  EXPECT_NEAR(us["exposed EP"], 1100, 1e-6);
  EXPECT_NEAR(us["exposed DP"], 200, 1e-6);
  EXPECT_NEAR(us["ended early"], 100, 1e-6);
  EXPECT_NEAR(us["exposed TP"], 0, 1e-6);
}

TEST(ReportStep, IsOfOnePass) {
  const Json run = RunOf(WriteStep("a.h5", 100, 200));
  const Json& step = run["step"]["jobs"][0];
  EXPECT_EQ(step["ps"], 1100 * kMicro);
  EXPECT_EQ(step["parts"][0]["name"], "computing");
  EXPECT_EQ(step["parts"][0]["ps"], 400 * kMicro);
  const Json& figures = run["figures"];
  EXPECT_EQ(figures[0]["key"], "step_0");
  EXPECT_EQ(figures[1]["label"], "Exposed DP");
  EXPECT_EQ(figures[2]["label"], "Exposed EP");
  EXPECT_EQ(figures[2]["value"], 550 * kMicro);
}

TEST(Headline, OfOneRunSaysWhatTookTheTime) {
  EXPECT_EQ(DataOf({WriteStep("a.h5", 0, 200)})["headline"],
            "The step takes 1.000 ms: 50.0 % exposed EP (ALLTOALL 200.0 us), 40.0 % computing, "
            "10.0 % exposed DP (ALLREDUCE 50.00 us), host to leaf links full from 0.600 to 1.600 "
            "ms.");
}

TEST(Headline, OfTwoRunsSaysWhyOneIsSlower) {
  const std::string a = WriteStep("a.h5", 0, 201), b = WriteStep("b.h5", 100, 357);
  const std::string text =
      "b is 10.0 % slower than a (1.000 -> 1.100 ms a step): exposed EP +50.00 us (ALLTOALL of EP "
      "201.0 -> 357.0 us), ended early +50.00 us, host to leaf links full from 0.600 to 1.600 ms.";
  EXPECT_EQ(DataOf({a, b})["headline"], text);
  EXPECT_EQ(DataOf({b, a})["headline"], text) << "the slower one is named first in any order";
}

TEST(Headline, TimeoutsAreReasons) {
  std::vector<Table> tables = StepTables(100, 1);
  tables.push_back(TableOf(
      "recovery", 2,
      {{"src", U32{0, 1}}, {"timeouts", U16{2, 1}}, {"waited_ps", I64{90 * kMicro, 95 * kMicro}}}));
  const std::string b = WriteRun("b.h5", tables, {{"workload_digest", std::string("00")}});
  const std::string text = DataOf({WriteStep("a.h5", 0, 1), b})["headline"];
  EXPECT_NE(text.find(", 3 timeouts (up to 95.00 us a flow), host to leaf links"),
            std::string::npos)
      << text;
}

TEST(Headline, OfManyRunsComparesTheSlowestWithTheFastest) {
  const std::string text = DataOf(
      {WriteStep("a.h5", 50, 1), WriteStep("b.h5", 0, 1), WriteStep("c.h5", 100, 1)})["headline"];
  EXPECT_EQ(text.find("Of 3 runs b is the fastest; c, the slowest, is 10.0 % slower (1.000 -> "
                      "1.100 ms a step): "),
            0u)
      << text;
}

TEST(Headline, RunsThatAreEqualOrDifferInTraffic) {
  const std::string a = WriteStep("a.h5", 0, 1), b = WriteStep("b.h5", 0, 2),
                    c = WriteStep("c.h5", 100, 1, "11");
  EXPECT_EQ(DataOf({a, b})["headline"], "a and b take the same time: 1.000 ms a step.");
  EXPECT_EQ(DataOf({a, c})["headline"],
            "c is 10.0 % slower than a (1.000 -> 1.100 ms a step): the runs did not carry the same "
            "traffic.");
}

TEST(Headline, WithoutAFullTierItNamesTheBusiestLink) {
  std::vector<Table> tables = StepTables(0, 200);
  tables.pop_back();  // the use of tiers
  tables.push_back(PortsOf({{6, 1, 60'000'000}, {6, 0, 20'000'000}, {0, 0, 90'000'000}}));
  const std::string text = DataOf({WriteRun("r.h5", tables)})["headline"];
  const std::string end = ", switch 0 -> server 0 / GPU 1 busiest, 60 % of the run.";
  ASSERT_GT(text.size(), end.size());
  EXPECT_EQ(text.substr(text.size() - end.size()), end) << text;
}

TEST(Headline, OfATraceIsOfTheRun) {
  const std::string path = WriteRun("r.h5", {FlowsOf({{0, 2, 1000, 0, 1000, 1000}})},
                                    {{"flows_planned", std::int64_t{1}}});
  EXPECT_EQ(DataOf({path})["headline"], "The run takes 1.000 ns for 1 flow.");
}

}  // namespace
}  // namespace heddle
