// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/model_shape.h"

#include <gtest/gtest.h>

#include "core/serving/model/kv_shares.h"

namespace heddle {
namespace {

const ServedModel& Model(const char* name) {
  const ServedModel* found = FindServedModel(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

// 2 x layers x heads x head size x 2 bytes, and 61 x (512 + 64) x 2 for a latent.
TEST(ServedModel, KvBytesOfPublicModels) {
  EXPECT_EQ(Model("llama-3.1-8b").KvBytes(2), 2 * 32 * 8 * 128 * 2);
  EXPECT_EQ(Model("llama-3.3-70b").KvBytes(2), 327'680);
  EXPECT_EQ(Model("llama-3.1-405b").KvBytes(2), 516'096);
  EXPECT_EQ(Model("qwen3-8b").KvBytes(2), 147'456);
  EXPECT_EQ(Model("qwen3-235b-a22b").KvBytes(2), 192'512);
  EXPECT_EQ(Model("qwen3-next-80b-a3b").KvBytes(2), 24'576);
  EXPECT_EQ(Model("deepseek-v3").KvBytes(2), 61 * 576 * 2);
  EXPECT_EQ(Model("deepseek-v3.2-fp8kv").KvBytes(1), 40'016);
  EXPECT_EQ(FindServedModel("gpt-5"), nullptr);
}

std::int64_t BytesMoved(const ServedModel& model, std::uint32_t from, std::uint32_t to) {
  std::int64_t heads = 0;
  for (const KvShare& share : SplitKv(model, from, to)) heads += share.heads;
  return heads * model.HeadBytes(2);
}

// Qwen3-235B has 4 heads: 8 GPUs keep each twice. A latent is at all GPUs.
TEST(KvShares, CopiedHeadsMoveOftener) {
  EXPECT_EQ(BytesMoved(Model("qwen3-235b-a22b"), 8, 8), 385'024);
  EXPECT_EQ(BytesMoved(Model("qwen3-235b-a22b"), 8, 4), 192'512);
  EXPECT_EQ(BytesMoved(Model("llama-3.3-70b"), 8, 8), 327'680);
  EXPECT_EQ(BytesMoved(Model("deepseek-v3"), 8, 8), 8 * 70'272);
  EXPECT_EQ(BytesMoved(Model("deepseek-v3"), 8, 1), 70'272);
}

TEST(KvShares, EqualInstancesSendGpuByGpu) {
  for (const char* name : {"llama-3.3-70b", "qwen3-235b-a22b", "deepseek-v3"}) {
    const std::vector<KvShare> shares = SplitKv(Model(name), 8, 8);
    ASSERT_EQ(shares.size(), 8U) << name;
    for (std::uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(shares[i].from, i) << name;
      EXPECT_EQ(shares[i].to, i) << name;
    }
  }
}

// A GPU of 8 reads its head from GPU floor(i 4 / 8); one of 2 gets four heads from two GPUs.
TEST(KvShares, UnequalInstances) {
  const ServedModel& model = Model("llama-3.3-70b");  // 8 heads
  const std::vector<KvShare> wider = SplitKv(model, 4, 8);
  ASSERT_EQ(wider.size(), 8U);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(wider[i].to, i);
    EXPECT_EQ(wider[i].from, i / 2);
    EXPECT_EQ(wider[i].heads, 1U);
  }
  const std::vector<KvShare> narrower = SplitKv(model, 4, 2);
  ASSERT_EQ(narrower.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(narrower[i].to, i / 2);
    EXPECT_EQ(narrower[i].from, i);
    EXPECT_EQ(narrower[i].heads, 2U);
  }
}

TEST(KvShares, HeadsMustDivide) {
  EXPECT_TRUE(FitsHeads(Model("llama-3.3-70b"), 16));
  EXPECT_TRUE(FitsHeads(Model("llama-3.3-70b"), 4));
  EXPECT_FALSE(FitsHeads(Model("llama-3.3-70b"), 3));
  EXPECT_FALSE(FitsHeads(Model("llama-3.3-70b"), 12));
  EXPECT_TRUE(FitsHeads(Model("deepseek-v3"), 3));
}

// One token of Mixtral reads 2 of 8 experts, many tokens all; a dense model reads everything.
TEST(ServedModel, ExpertsThatAStepReads) {
  const ServedModel& mixtral = Model("mixtral-8x7b");
  EXPECT_EQ(mixtral.expert_parameters(), (46'700'000'000 - 12'900'000'000) * 8 / 6);
  EXPECT_NEAR(static_cast<double>(mixtral.ParametersRead(1)), 12.9e9, 1e3);
  const std::int64_t rest = mixtral.parameters - mixtral.expert_parameters();
  const double two = 1 - 0.75 * 0.75;
  EXPECT_NEAR(static_cast<double>(mixtral.ParametersRead(2)),
              static_cast<double>(rest) + two * static_cast<double>(mixtral.expert_parameters()),
              1e3);
  EXPECT_NEAR(static_cast<double>(mixtral.ParametersRead(1000)), 46.7e9, 1e3);
  EXPECT_EQ(Model("llama-3.1-8b").ParametersRead(1), Model("llama-3.1-8b").parameters);
}

}  // namespace
}  // namespace heddle
