// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/serving/path_prices.h"

#include <gtest/gtest.h>

#include "tests/support/io_test_util.h"
#include "tests/support/serving/small_plan.h"

namespace heddle {
namespace {

using testing::PlanOf;

// GPUs 0 and 1 have an NVSwitch (25 ns, 2880 Gbps a link), 0 and 2 a switch (500 ns, 400 Gbps).
TEST(PathPrices, AMessageHasItsPathForItself) {
  const Graph graph = SmallGraph();
  const ServingPlan plan = PlanOf({InstanceRole::kPrefill, InstanceRole::kDecode});
  const PathPrices prices(graph, plan);
  EXPECT_EQ(prices.TransferTime(NodeId(0), NodeId(1), 360), NanoSeconds(50) + Time{1000});
  EXPECT_EQ(prices.TransferTime(NodeId(0), NodeId(2), 1000), NanoSeconds(1000) + Time{20'000});
  EXPECT_EQ(prices.TransferTime(NodeId(0), NodeId(2), 1), NanoSeconds(1000) + Time{20});
  // A gigabyte: 0.02 s.
  EXPECT_EQ(prices.TransferTime(NodeId(0), NodeId(2), 1'000'000'000),
            NanoSeconds(1000) + MicroSeconds(20'000));
  EXPECT_EQ(prices.ControlTime(0, 1), prices.TransferTime(NodeId(0), NodeId(1), 256));
  prices.CheckPaths();
}

// Two GPUs: in the layer two AllReduces of two messages of half of 2 bytes each.
TEST(PathPrices, RingsOfTensorParallelism) {
  const Graph graph = SmallGraph();
  ServingPlan plan = PlanOf({InstanceRole::kMixed});
  const PathPrices prices(graph, plan);
  StepProgram::Shape shape;
  shape.layers = 1;
  shape.token_bytes = 2;
  EXPECT_EQ(prices.CollectivesOf(plan.instances[0], shape).TimeOf(1000), Time{});
  plan.instances[0].gpus = {NodeId(0), NodeId(1)};
  EXPECT_EQ(prices.CollectivesOf(plan.instances[0], shape).TimeOf(720),
            NanoSeconds(200) + Time{8000});
  // Over the switch: the slowest link and the longest path; of three GPUs two are near, so that
  // one ring goes over all. 8 messages of 500 bytes at 400 Gbps.
  plan.instances[0].gpus = {NodeId(0), NodeId(1), NodeId(2)};
  EXPECT_EQ(prices.CollectivesOf(plan.instances[0], shape).TimeOf(750),
            NanoSeconds(8 * 1000) + Time{8 * 10'000});
}

TEST(PathPrices, PoolsMustReachEachOther) {
  Graph graph(2, 0, 2, 1, "H100");
  graph.AddLink({NodeId(0), NodeId(2), {400'000'000'000}, {500'000}, 0});
  graph.AddLink({NodeId(1), NodeId(3), {400'000'000'000}, {500'000}, 0});
  const ServingPlan plan = PlanOf({InstanceRole::kPrefill, InstanceRole::kDecode});
  const PathPrices prices(graph, plan);
  EXPECT_EQ(MessageOf([&] { prices.CheckPaths(); }).substr(0, 44),
            "the topology has no path from GPU 0 to GPU 1");
}

}  // namespace
}  // namespace heddle
