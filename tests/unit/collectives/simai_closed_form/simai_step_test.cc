// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/check.h"

namespace heddle {
namespace {

/// One row: 1 ms of forward compute, 2 of gradients of inputs, 3 of weights.
RawLayer RawRow(const std::string& name, GroupType forward, GroupType gradient, GroupType weight) {
  const std::uint64_t bytes = 1 << 30;
  RawLayer layer;
  layer.name = name;
  layer.forward = {1'000'000, Operation::kAllGather, forward, bytes};
  layer.input_gradient = {2'000'000, Operation::kAllGather, gradient, bytes};
  layer.weight_gradient = {3'000'000, Operation::kAllReduce, weight, bytes};
  return layer;
}

RawWorkload RawStep(std::vector<RawLayer> layers) {
  RawWorkload workload;
  workload.tensor = 4;
  workload.expert = 2;
  workload.pipeline = 3;
  workload.virtual_pipeline = 2;
  workload.gradient_accumulation = 5;
  workload.layers = std::move(layers);
  return workload;
}

/// Every collective takes 10 ms.
SimaiStepInput RawInput() {
  SimaiStepInput input;
  input.gpus = 96;
  input.price = [](const SimaiCollective&) { return SimaiTicks{10'000'000}; };
  return input;
}

constexpr auto kStepTensor = GroupType::kTensor;
constexpr auto kStepExpert = GroupType::kExpert;
constexpr auto kStepData = GroupType::kData;
constexpr auto kStepDataExpert = GroupType::kDataExpert;

TEST(SimaiStep, RanksOfGroups) {
  std::vector<int> ranks;
  SimaiStepInput input = RawInput();
  input.price = [&](const SimaiCollective& collective) {
    ranks.push_back(collective.ranks);
    return SimaiTicks{0};
  };
  AddUpSimaiStep(RawStep({RawRow("a", kStepTensor, kStepExpert, kStepData),
                          RawRow("b", kStepDataExpert, kStepExpert, kStepDataExpert),
                          RawRow("c", kStepTensor, kStepTensor, kStepExpert)}),
                 input, "w");
  // Forward, weights, inputs. DP = 96 / 12 = 8. A forward DP_EP has those of TP, a weight EP those
  // of DP.
  EXPECT_EQ(ranks, (std::vector<int>{4, 8, 2, 4, 4, 2, 4, 8, 4}));
}

TEST(SimaiStep, ExposedByGroupAndOverlap) {
  SimaiStepInput input = RawInput();
  input.overlaps = {0.5F, 0.25F, 0.75F, 1};
  const SimaiStep step =
      AddUpSimaiStep(RawStep({RawRow("a", kStepTensor, kStepExpert, kStepData),
                              RawRow("b", kStepExpert, kStepTensor, kStepDataExpert)}),
                     input, "w");
  EXPECT_DOUBLE_EQ(step.data, 5000);
  EXPECT_DOUBLE_EQ(step.data_expert, 5000);
  EXPECT_DOUBLE_EQ(step.tensor, 15000);  // the gradients go with their forward
  EXPECT_DOUBLE_EQ(step.expert, 5000);
  EXPECT_DOUBLE_EQ(step.exposed, 30000);
  EXPECT_DOUBLE_EQ(step.compute, 12000);
}

TEST(SimaiStep, BubbleLeavesOutEmbeddingLayersOnly) {
  const SimaiStep step =
      AddUpSimaiStep(RawStep({RawRow("embedding_layer", kStepTensor, kStepTensor, kStepData),
                              RawRow("grad_norm", kStepTensor, kStepTensor, kStepData)}),
                     RawInput(), "w");
  // 2 / (5 x 2) of 1 + 2 + 3 ms of compute and 20 ms of communication.
  EXPECT_DOUBLE_EQ(step.bubble, 26000 * 0.2);
  EXPECT_DOUBLE_EQ(step.total, step.compute + step.exposed + step.bubble);
}

TEST(SimaiStep, PipelineMessages) {
  RawWorkload workload = RawStep({RawRow("a", kStepTensor, kStepTensor, kStepData)});
  workload.pipeline_bytes = 1 << 29;
  SimaiStepInput input = RawInput();
  input.overlaps.pipeline = 0.75F;
  input.pipeline_bandwidth = 50;
  // 2 x 2 x 5 messages of 10 ms, a quarter of them exposed.
  EXPECT_DOUBLE_EQ(AddUpSimaiStep(workload, input, "w").pipeline, 50'000);
  input.pipeline_bandwidth = 0;
  EXPECT_DOUBLE_EQ(AddUpSimaiStep(workload, input, "w").pipeline, 0);  // infinite, and then nothing
}

TEST(SimaiStep, Bandwidths) {
  const SimaiStep step =
      AddUpSimaiStep(RawStep({RawRow("a", kStepTensor, kStepTensor, kStepData)}), RawInput(), "w");
  const SimaiRow& row = step.rows.front();
  EXPECT_FLOAT_EQ(row.forward.algorithm_bandwidth, 100);    // 1 GiB in 10 ms
  EXPECT_FLOAT_EQ(row.forward.bus_bandwidth, 75);           // 3/4
  EXPECT_FLOAT_EQ(row.weight_gradient.bus_bandwidth, 175);  // 2 x 7/8
}

TEST(SimaiStep, MissingSizesMakeNoNumber) {
  RawWorkload workload = RawStep({RawRow("a", kStepTensor, kStepTensor, kStepData)});
  workload.pipeline = 1;
  workload.gradient_accumulation = 0;
  EXPECT_TRUE(std::isnan(AddUpSimaiStep(workload, RawInput(), "w").total));
}

TEST(SimaiStep, WhereSimaiDividesByZeroTheRowIsNamed) {
  RawLayer row = RawRow("a", kStepTensor, kStepTensor, kStepDataExpert);
  row.line = 7;
  RawWorkload workload = RawStep({row});
  workload.expert = 0;
  try {
    AddUpSimaiStep(workload, RawInput(), "w.txt");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("w.txt:7: ", 0), 0U) << error.what();
    EXPECT_NE(std::string(error.what()).find("SIGFPE"), std::string::npos);
  }
}

TEST(SimaiStep, ReRunForwardsCountTheirComputeTwice) {
  RawLayer row = RawRow("a", kStepTensor, kStepTensor, kStepData);
  row.forward_runs = 2;
  const SimaiStep step = AddUpSimaiStep(RawStep({row}), RawInput(), "w");
  EXPECT_DOUBLE_EQ(step.compute, 7000);
  EXPECT_DOUBLE_EQ(step.tensor, 20000);
}

}  // namespace
}  // namespace heddle
