// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/steps/step_program.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

StepProgram::Shape ShapeOf(std::uint32_t layers, std::int64_t token_bytes, std::uint32_t top_k,
                           std::int64_t dispatched) {
  StepProgram::Shape shape;
  shape.layers = layers;
  shape.token_bytes = token_bytes;
  shape.top_k = top_k;
  shape.dispatched_bytes = dispatched;
  return shape;
}

TEST(StepLayout, NearGpusAreGroups) {
  const StepLayout layout = LayOutStep({4, 9, 4, 9});
  EXPECT_EQ(layout.near, 2U);
  EXPECT_EQ(layout.groups, 2U);
  EXPECT_EQ(layout.rank_of, (std::vector<std::uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(layout.RankAt(1, 1), 3U);
  EXPECT_EQ(layout.GroupOf(2), 0U);
  EXPECT_EQ(layout.MemberOf(2), 1U);
}

TEST(StepLayout, UnevenGroupsAreOneRing) {
  const StepLayout layout = LayOutStep({4, 4, 9});
  EXPECT_EQ(layout.near, 1U);
  EXPECT_EQ(layout.groups, 3U);
  EXPECT_EQ(layout.rank_of, (std::vector<std::uint32_t>{0, 1, 2}));
}

// 8 bits a nanosecond: a byte takes 1 ns. 3 groups of 2 GPUs, 60 bytes: 30 within a group, 10
// between groups.
TEST(StepProgram, AllReducesOfTwoLevels) {
  StepProgram program(ShapeOf(5, 6, 0, 0), LayOutStep({0, 0, 1, 1, 2, 2}));
  program.near = {NanoSeconds(100), BitRate{8'000'000'000}};
  program.far = {NanoSeconds(1000), BitRate{8'000'000'000}};
  EXPECT_EQ(program.operations(), 10U);
  EXPECT_TRUE(program.leaves_groups());
  constexpr StepOperation kSum = StepOperation::kAllReduce;
  EXPECT_EQ(program.At(9), kSum);
  EXPECT_EQ(program.RoundsOf(kSum), 4U);
  EXPECT_EQ(program.BytesOf(kSum, 10), 10);
  EXPECT_EQ(program.Before(kSum, 10), NanoSeconds(130));
  EXPECT_EQ(program.After(kSum, 10), NanoSeconds(130));
  EXPECT_EQ(program.TimeOf(10), NanoSeconds(10 * (130 + 4 * 1010 + 130)));
  EXPECT_TRUE(program.Sends(9, 3, 4, 0));   // from the last group to the first
  EXPECT_FALSE(program.Sends(9, 3, 4, 1));  // another place in its group
  EXPECT_FALSE(program.Sends(9, 4, 4, 0));
  EXPECT_FALSE(program.Sends(10, 0, 4, 0));
}

// Each of 4 GPUs has a quarter of 32 tokens, which take 2 experts: 16 choices, 4 for each GPU.
TEST(StepProgram, ExpertsApart) {
  StepProgram program(ShapeOf(3, 8, 2, 4), LayOutStep({0, 0, 1, 1}));
  program.near = {NanoSeconds(100), BitRate{8'000'000'000}};
  program.far = {NanoSeconds(1000), BitRate{8'000'000'000}};
  EXPECT_EQ(program.operations(), 12U);
  EXPECT_EQ(program.At(5), StepOperation::kDispatch);
  EXPECT_EQ(program.MessagesOf(StepOperation::kDispatch), 2U);
  EXPECT_EQ(program.BytesOf(StepOperation::kDispatch, 32), 4 * 4);
  EXPECT_EQ(program.BytesOf(StepOperation::kCombine, 32), 4 * 8);
  EXPECT_EQ(program.Beside(StepOperation::kCombine, 32), NanoSeconds(132));
  // 256 bytes: 128 within a group, 64 between two.
  const std::int64_t halves = 2 * (100 + 128 + 1000 + 64);
  EXPECT_EQ(program.TimeOf(32), NanoSeconds(3 * (halves + (1000 + 2 * 16) + (1000 + 2 * 32))));
  EXPECT_TRUE(program.Sends(1, 0, 0, 3));
  EXPECT_FALSE(program.Sends(1, 0, 0, 1));
}

TEST(StepProgram, OneGpuHasNoCollectives) {
  const StepProgram program(ShapeOf(3, 8, 0, 0), LayOutStep({7}));
  EXPECT_EQ(program.operations(), 0U);
  EXPECT_EQ(program.TimeOf(100), Time{});
  EXPECT_EQ(StepProgram().TimeOf(100), Time{});
}

TEST(StepProgram, WithinAGroupNothingIsSent) {
  StepProgram program(ShapeOf(1, 8, 0, 0), LayOutStep({0, 0}));
  program.near = {NanoSeconds(100), BitRate{8'000'000'000}};
  EXPECT_FALSE(program.leaves_groups());
  EXPECT_EQ(program.TimeOf(10), NanoSeconds(2 * 2 * 140));
}

}  // namespace
}  // namespace heddle
