// SPDX-License-Identifier: GPL-2.0-only
/// Collisions of flows that are made by hand. Flows of the same ends and source port take the same
/// path: over a leaf's port up, a spine's port down, and the last hop, which does not count.
#include "io/collisions/collision_study.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/io/two_leaf_run.h"

namespace heddle {
namespace {

CollisionStudy StudyOfFlows(const MadeResult& result) {
  const std::string path = TempPath("collisions.h5");
  result.Write(path);
  return StudyCollisions(path);
}

// [0, 1000) and [600, 1600) share 400 ps on each of two ports.
TEST(CollisionStudy, CountsWithAndWithoutRegardToTime) {
  const CollisionStudy study = StudyOfFlows(TwoLeafRun({{0, 2, 0, 1000}, {0, 2, 600, 1000}}));
  EXPECT_EQ(study.between_servers, 2u);
  EXPECT_EQ(study.unfinished, 0u);
  EXPECT_FALSE(study.topology_changed);
  const CollisionCounts& now = study.figures.at_once;
  EXPECT_EQ(now.pairs, 1u) << "once, though they share two ports";
  EXPECT_EQ(now.ports_used, 2u);
  EXPECT_EQ(now.ports, 2u);
  EXPECT_EQ(now.most_on_port, 2u);
  EXPECT_EQ(now.shared_ps, 800);
  const CollisionCounts& any = study.figures.any_time;
  EXPECT_EQ(any.pairs, 1u);
  EXPECT_EQ(any.shared_ps, 0);
  EXPECT_FALSE(study.own_ports);
}

TEST(CollisionStudy, FlowsOneAfterTheOtherCollideOnlyIgnoringTime) {
  const CollisionStudy study =
      StudyOfFlows(TwoLeafRun({{0, 2, 0, 1000}, {0, 2, 1000, 500}, {0, 2, 2000, 500}}));
  EXPECT_EQ(study.figures.at_once.pairs, 0u);
  EXPECT_EQ(study.figures.at_once.ports, 0u);
  EXPECT_EQ(study.figures.at_once.most_on_port, 1u);
  EXPECT_EQ(study.figures.any_time.pairs, 3u) << "three of three";
  EXPECT_EQ(study.figures.any_time.most_on_port, 3u);
}

TEST(CollisionStudy, FlowsWithinAServerAreNotCounted) {
  const CollisionStudy study = StudyOfFlows(TwoLeafRun({{0, 1, 0, 1000}, {0, 1, 0, 1000}}));
  EXPECT_EQ(study.between_servers, 0u);
  EXPECT_EQ(study.figures.any_time.ports_used, 0u);
  EXPECT_EQ(study.figures.any_time.pairs, 0u);
  EXPECT_TRUE(study.spines.empty());
}

// Every flow between leaves crosses one spine.
TEST(CollisionStudy, SpinesCarryAllFlowsAndBytes) {
  const CollisionStudy study =
      StudyOfFlows(TwoLeafRun({{0, 2, 0, 9, 1}, {0, 3, 0, 9, 2}, {0, 2, 0, 9, 3}, {0, 1, 0, 9}}));
  ASSERT_EQ(study.spines.size(), 1u);
  const SpineSums sums = SumsOf(study.spines[0]);
  EXPECT_EQ(study.spines[0].spines.size(), 2u) << "also one without a flow";
  EXPECT_EQ(sums.flows, 3u);
  EXPECT_EQ(sums.bytes, 3000);
}

// The first lasts until the last flow finished, at 1000; the second never started.
TEST(CollisionStudy, UnfinishedFlowsCountIfTheyStarted) {
  const CollisionStudy study =
      StudyOfFlows(TwoLeafRun({{0, 2, 400, -1, 0, 5}, {0, 2, 0, -1, 0, 1}, {0, 2, 0, 1000}}));
  EXPECT_EQ(study.unfinished, 2u);
  EXPECT_EQ(study.figures.at_once.pairs, 1u);
  EXPECT_EQ(study.figures.at_once.shared_ps, 2 * 600);
}

TEST(CollisionStudy, KnowsThatLinksChanged) {
  MadeResult result = TwoLeafRun({{0, 2}});
  result.root["option failure.link_down"] = std::string("0 0 0");
  EXPECT_FALSE(StudyOfFlows(result).topology_changed);
  result.root["option failure.link_down"] = std::string("5us 1 2");
  EXPECT_TRUE(StudyOfFlows(result).topology_changed);
  result.root.erase("option failure.link_down");
  result.root["failures_digest"] = std::string("0123456789abcdef");
  EXPECT_TRUE(StudyOfFlows(result).topology_changed);
}

// Waits of 100 and 300 ps; the third decision moved the first flow, which did not wait for it. The
// second flow kept the host's own port.
TEST(CollisionStudy, WaitsForTheControllerAreOfFlowsThatStart) {
  MadeResult result = TwoLeafRun({{0, 2, 0, 1000}, {0, 2, 0, 1000}});
  result.table("flows").columns.push_back({"request", "1", "", U32{0, 1}});
  result.tables.push_back(TableOf("controller/requests", 3,
                                  {{"src", U32{0, 0, 0}},
                                   {"dst", U32{2, 2, 2}},
                                   {"request", U32{0, 1, 0}},
                                   {"cause", U8{0, 0, 1}},
                                   {"outcome", U8{0, 1, 0}},
                                   {"source_port", U16{20'000, 0, 20'001}},
                                   {"wait_ps", I64{100, 300, 9999}}}));
  result.tables.push_back(TableOf("controller/paths", 0));
  const CollisionStudy study = StudyOfFlows(result);
  EXPECT_TRUE(study.controlled);
  EXPECT_EQ(study.mean_wait_ps, 200);
  EXPECT_EQ(study.max_wait_ps, 300);
  EXPECT_EQ(study.chosen, 1u);
  ASSERT_TRUE(study.own_ports);
  EXPECT_GE(study.own_ports->any_time.ports_used, 2u);
}

std::string RefusalOf(const MadeResult& result) {
  return MessageOf([&] { StudyOfFlows(result); });
}

TEST(CollisionStudy, AResultWithoutItsFlowsIsRefused) {
  EXPECT_NE(RefusalOf(TwoLeafRun({})).find("collisions.h5: no flows"), std::string::npos);
  MadeResult gap = TwoLeafRun({{0, 2}, {0, 2}, {0, 2}});
  gap.values<std::uint32_t>("flows", "number") = {0, 1, 3};
  EXPECT_NE(RefusalOf(gap).find("only some of the flows"), std::string::npos);
  gap.root["option requests.scheduler"] = std::string("cast");
  EXPECT_EQ(StudyOfFlows(gap).completion.flows, 3u) << "a queue pair may send nothing";
}

TEST(CollisionStudy, ADeclaredSampleIsStudiedWithAWarning) {
  MadeResult sample = TwoLeafRun({{0, 2}, {0, 2}});
  sample.values<std::uint32_t>("flows", "number") = {4, 9};
  sample.root["flows_recorded"] = std::string("sample:4");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(StudyOfFlows(sample).completion.flows, 2u);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("one in 4 of the flows"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
