// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/recorded_flows.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

MadeResult WithRecorded(const std::string& recorded) {
  MadeResult result = TwoLeafRun({{0, 2}});
  result.root["flows_recorded"] = recorded;
  return result;
}

std::string WhyOf(const MadeResult& result) { return WhyNoPaths(ViewedRun(result).source); }

std::string WarningOf(const std::string& recorded) {
  const ViewedRun run(WithRecorded(recorded));
  ::testing::internal::CaptureStderr();
  WarnOfMissingFlows("a.h5", run.source.reader());
  return ::testing::internal::GetCapturedStderr();
}

TEST(RecordedFlows, AreWhatTheResultSaysOrAll) {
  EXPECT_EQ(RecordedFlows(ViewedRun(WithRecorded("sample:8")).source.reader()), "sample:8");
  MadeResult silent = TwoLeafRun({{0, 2}});
  silent.root.erase("flows_recorded");
  EXPECT_EQ(RecordedFlows(ViewedRun(silent).source.reader()), "all");
}

TEST(RecordedFlows, PathsAreKnownOfAllFlowsOnOnePathEach) {
  EXPECT_EQ(WhyOf(WithRecorded("all")), "");
  const std::string missing = "the result does not have all flows; --record flows=all keeps them";
  EXPECT_EQ(WhyOf(WithRecorded("none")), missing);
  EXPECT_EQ(WhyOf(WithRecorded("sample:8")), missing);
  EXPECT_EQ(WhyOf(TwoLeafRun({})), missing) << "no flow at all";
  MadeResult sprayed = WithRecorded("all");
  sprayed.root["sprayed_by"] = std::string("balance.ports=random");
  EXPECT_EQ(WhyOf(sprayed), "packets of a flow take several paths (balance.ports=random)");
  MadeResult phases = WithRecorded("all");
  phases.root["option phases.collectives"] = std::string("all");
  phases.root["option phases.algorithm"] = std::string("one-ring");
  EXPECT_NE(WhyOf(phases).find("phases.algorithm=one-ring"), std::string::npos);
  MadeResult closed = WithRecorded("all");
  closed.root["backend"] = std::string("analytical");
  EXPECT_EQ(WhyOf(closed), "closed forms have no flows");
}

TEST(RecordedFlows, ThatAreMissingAreWarnedOf) {
  EXPECT_EQ(WarningOf("all"), "");
  EXPECT_NE(WarningOf("sample:8").find("a.h5: /flows has one in 8 of the flows that finished;"),
            std::string::npos);
  EXPECT_NE(WarningOf("none").find("a.h5: /flows has only flows that did not finish;"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
