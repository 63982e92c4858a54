// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/phased/phase_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/check.h"
#include "tests/support/scale_up_fabric.h"

namespace heddle {
namespace {

using testing::Loop;
using testing::Mesh;
using testing::ScaleUpFabric;

Graph Torus(std::uint32_t local, std::uint32_t horizontal, std::uint32_t vertical) {
  return ScaleUpFabric({Loop(local, 2), Loop(horizontal, 2, 2), Loop(vertical, 2, 2)});
}

/// Bytes that leave an NPU in an all-reduce of `bytes`, by dimension.
std::vector<std::int64_t> BytesOut(const Graph& graph, const PhasedOptions& options,
                                   std::int64_t bytes) {
  const PhasePlanner planner(graph, options);
  const PhasePlan plan = planner.Plan(Operation::kAllReduce, bytes, 7);
  std::vector<std::int64_t> out(3, 0);
  for (const PlannedPhase& phase : plan.phases)
    out[phase.dimension] += plan.chunks * phase.steps.messages * phase.message;
  return out;
}

std::int64_t Sum(const std::vector<std::int64_t>& values) {
  return values[0] + values[1] + values[2];
}

TEST(PhasePlan, BaselineSendsWhatThePaperCounts) {
  // ASTRA-SIM (ISPASS 2020), section V-B: 126/64, 28/8, 34/8 and 36/8 N.
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kBaseline;
  constexpr std::int64_t kN = 1 << 24;
  EXPECT_EQ(Sum(BytesOut(Torus(1, 64, 1), options, kN)), kN * 126 / 64);
  EXPECT_EQ(Sum(BytesOut(Torus(1, 8, 8), options, kN)), kN * 28 / 8);
  EXPECT_EQ(Sum(BytesOut(Torus(2, 8, 4), options, kN)), kN * 34 / 8);
  EXPECT_EQ(Sum(BytesOut(Torus(4, 4, 4), options, kN)), kN * 36 / 8);
}

TEST(PhasePlan, EnhancedSendsAFourthBetweenPackagesOfFour) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kBaseline;
  constexpr std::int64_t kN = 1 << 24;
  const std::vector<std::int64_t> all = BytesOut(Torus(4, 4, 4), options, kN);
  options.collectives = PhasedOptions::Form::kEnhanced;
  const std::vector<std::int64_t> less = BytesOut(Torus(4, 4, 4), options, kN);
  EXPECT_EQ(less[0], all[0]);
  EXPECT_EQ(less[1], all[1] / 4);
  EXPECT_EQ(less[2], all[2] / 4);
}

TEST(PhasePlan, PhasesGoFromTheFirstDimensionToTheLastAndBack) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kEnhanced;
  const Graph graph = Torus(2, 4, 8);
  const PhasePlan plan = PhasePlanner(graph, options).Plan(Operation::kAllReduce, 1 << 20, 7);
  ASSERT_EQ(plan.phases.size(), 4u);
  EXPECT_EQ(plan.chunks, 16);
  EXPECT_EQ(plan.phases[0].dimension, 0u);
  EXPECT_EQ(plan.phases[1].dimension, 2u);
  EXPECT_EQ(plan.phases[2].dimension, 1u);
  EXPECT_EQ(plan.phases[3].dimension, 0u);
  EXPECT_EQ(plan.phases[0].message, 65536 / 2);
  EXPECT_EQ(plan.phases[1].message, 65536 / 2 / 8);
  EXPECT_EQ(plan.phases[3].message, 65536 / 2);
  // The first half of the local lanes there, the second half back.
  EXPECT_EQ(plan.phases[0].first_lane, 0u);
  EXPECT_EQ(plan.phases[3].first_lane, 1u);
}

TEST(PhasePlan, ChunksHaveALeastSize) {
  PhasedOptions options;
  options.collectives = PhasedOptions::Form::kBaseline;
  const Graph graph = Torus(1, 8, 1);
  const PhasePlanner planner(graph, options);
  EXPECT_EQ(planner.Plan(Operation::kAllReduce, 3000, 7).chunks, 3);
  EXPECT_EQ(planner.Plan(Operation::kAllReduce, 1, 7).chunks, 1);
  EXPECT_EQ(planner.Plan(Operation::kAllToAll, 1 << 20, 7).chunks, 8);
  EXPECT_TRUE(planner.Plan(Operation::kAllReduce, 3000, 0).phases.empty());
}

TEST(PhasePlan, GroupsFillTheirDimensions) {
  PhasedOptions options;
  const Graph graph = Torus(2, 4, 4);
  const PhasePlanner planner(graph, options);
  const std::vector<NodeId> package = {NodeId(6), NodeId(7)};
  EXPECT_EQ(planner.DimensionsOf(package.data(), 2, "job"), 1u);
  const std::vector<NodeId> column = {NodeId(1), NodeId(9), NodeId(17), NodeId(25)};
  EXPECT_EQ(planner.DimensionsOf(column.data(), 4, "job"), 4u);
  const std::vector<NodeId> crooked = {NodeId(0), NodeId(3)};
  try {
    planner.DimensionsOf(crooked.data(), 2, "job 0, group 1 of TP");
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("job 0, group 1 of TP: 2 members in dimensions of 8"),
              std::string::npos)
        << error.what();
  }
}

TEST(PhasePlan, WhatHasNoPhasesIsRefused) {
  PhasedOptions options;
  const Graph graph = Torus(2, 2, 2);
  EXPECT_THROW(PhasePlanner(graph, options).Plan(Operation::kBroadcast, 1000, 7), UserError);
  const Graph plain(4, 0, 0, 1, "X");
  EXPECT_THROW(PhasePlanner(plain, options), UserError);
}

TEST(LineSteps, RingsSendOneMessageAfterTheOther) {
  const LineSteps ring = LineSteps::Of(Operation::kAllReduce, false, false, 5);
  EXPECT_EQ(ring.messages, 8u);
  std::uint32_t begin = 0;
  EXPECT_EQ(ring.After(0, &begin), 1u);
  EXPECT_EQ(ring.After(1, &begin), 1u);
  EXPECT_EQ(begin, 1u);
  EXPECT_EQ(ring.After(8, &begin), 0u);
  EXPECT_EQ(LineSteps::Of(Operation::kAllToAll, false, false, 8).messages, 28u);
  const LineSteps far = LineSteps::Of(Operation::kAllToAll, false, true, 8);
  EXPECT_EQ(far.messages, 7u);
  EXPECT_EQ(far.DistanceOf(0), 1u);
  EXPECT_EQ(far.DistanceOf(6), 7u);
}

TEST(LineSteps, DirectExchangesHaveRounds) {
  const LineSteps direct = LineSteps::Of(Operation::kAllReduce, true, false, 4);
  EXPECT_EQ(direct.messages, 6u);
  std::uint32_t begin = 0;
  EXPECT_EQ(direct.After(0, &begin), 3u);
  EXPECT_EQ(direct.After(2, &begin), 0u);
  EXPECT_EQ(direct.After(3, &begin), 3u);
  EXPECT_EQ(begin, 3u);
  EXPECT_EQ(direct.DistanceOf(3), 1u);
  EXPECT_EQ(direct.After(6, &begin), 0u);
}

}  // namespace
}  // namespace heddle
