// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/deployment_file.h"

#include <gtest/gtest.h>

#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

const std::string kPools =
    "model = \"llama-3.3-70b\"\n"
    "gpu = \"H100\"\n"
    "[speed]\n"
    "compute_share = 0.5\n"
    "decode_overhead = \"4ms\"\n"
    "[memory]\n"
    "share = 0.9\n"
    "[[pool]]\n"
    "role = \"prefill\"\n"
    "instances = 2\n"
    "tensor_parallel = 8\n"
    "token_budget = 2048\n"
    "[[pool]]\n"
    "name = \"answers\"\n"
    "role = \"decode\"\n"
    "tensor_parallel = 4\n"
    "gpus = \"20-22,3\"\n";

std::string MessageOfDeployment(const std::string& text, std::uint32_t gpus = 32) {
  return MessageOf([&] { MakeServingPlan(ParseDeployment(text, "d", "H100"), gpus); });
}

TEST(DeploymentFile, Values) {
  const Deployment found = ParseDeployment(kPools, "d", "");
  EXPECT_EQ(found.model.name, "llama-3.3-70b");
  EXPECT_DOUBLE_EQ(found.gpu.teraflops, 989.4);
  EXPECT_DOUBLE_EQ(found.compute_share, 0.5);
  EXPECT_EQ(found.decode_overhead, MicroSeconds(4000));
  ASSERT_EQ(found.pools.size(), 2U);
  EXPECT_EQ(found.pools[0].name, "prefill 0");
  EXPECT_EQ(found.pools[0].limits.token_budget, 2048);
  EXPECT_EQ(found.pools[1].name, "answers");
  EXPECT_EQ(found.pools[1].gpus, (std::vector<std::uint32_t>{20, 21, 22, 3}));
}

TEST(DeploymentFile, Routers) {
  const Deployment plain = ParseDeployment(kPools, "d", "");
  EXPECT_FALSE(plain.router.has_value());
  EXPECT_TRUE(plain.prefix_cache);
  const Deployment found = ParseDeployment(
      "router = \"kv-aware\"\noverlap_weight = 2.5\nprefix_cache = false\n" + kPools, "d", "");
  EXPECT_EQ(found.router, RouterKind::kKvAware);
  EXPECT_DOUBLE_EQ(found.overlap_weight, 2.5);
  EXPECT_FALSE(found.prefix_cache);
  EXPECT_EQ(MessageOfDeployment("overlap_weight = 2\n" + kPools),
            "d:1: overlap_weight without its router. Expected: router = \"kv-aware\"");
  EXPECT_NE(MessageOfDeployment("router = \"random\"\n" + kPools).find("d:1: "), std::string::npos);
}

TEST(DeploymentFile, ReplacedKeys) {
  const Deployment found =
      ParseDeployment(kPools, "d", "",
                      {"pool.0.instances=3", "pool.1.name=replies", "kv=fp8", "memory.share=0.5",
                       "router=least-loaded", "speed.decode_overhead=2ms"});
  EXPECT_EQ(found.pools[0].instances, 3U);
  EXPECT_EQ(found.pools[1].name, "replies");
  EXPECT_EQ(found.kv, NumberFormat::kFp8);
  EXPECT_DOUBLE_EQ(found.memory_share, 0.5);
  EXPECT_EQ(found.router, RouterKind::kLeastLoaded);
  EXPECT_EQ(found.decode_overhead, MicroSeconds(2000));
  const auto message = [&](const std::string& key) {
    return MessageOf([&] { ParseDeployment(kPools, "d", "", {key}); });
  };
  EXPECT_NE(message("pool.0.instances=0").find("d:8: [[pool]]: instances = 0"), std::string::npos);
  EXPECT_NE(message("pool.2.instances=1").find("'2' of a list of 2"), std::string::npos);
  EXPECT_NE(message("pool.instances=1").find("a list in place of a table"), std::string::npos);
  EXPECT_NE(message("model.layers=1").find("'model' is a value"), std::string::npos);
  EXPECT_NE(message("pool.0.instance=1").find("unknown key 'instance'"), std::string::npos);
  EXPECT_NE(message("instances").find("no KEY=VALUE"), std::string::npos);
  EXPECT_NE(message("a..b=1").find("a key without a name"), std::string::npos);
}

// Blocks that requests name are kept as whole blocks of the memory, or not at all.
TEST(DeploymentFile, BlocksOfPromptsFit) {
  std::string text = kPools;
  text.replace(text.find("share = 0.9"), 11, "block_tokens = 48");
  const Deployment odd = ParseDeployment(text, "d", "");
  const ServingRequests named = {{Time{}, 512, 1, {3}}}, unnamed = {{Time{}, 512, 1}};
  EXPECT_NE(MessageOf([&] { CheckPromptBlocks(odd, named); }).find("divides 512"),
            std::string::npos);
  CheckPromptBlocks(odd, unnamed);
  CheckPromptBlocks(ParseDeployment("prefix_cache = false\n" + text, "d", ""), named);
  CheckPromptBlocks(ParseDeployment(kPools, "d", ""), named);
}

// 72 GB less 70.55 x 2 / 8 GB, in blocks of 16 tokens x 40,960 bytes.
TEST(DeploymentFile, PlanOfPools) {
  std::string text = kPools;
  text.replace(text.find("20-22,3"), 7, "20-22,19");
  const ServingPlan plan = MakeServingPlan(ParseDeployment(text, "d", ""), 32);
  ASSERT_EQ(plan.instances.size(), 3U);
  EXPECT_EQ(plan.instances[0].blocks,
            static_cast<std::int64_t>((72e9 - 70.55e9 / 4) / (16 * 40960)));
  EXPECT_EQ(plan.instances[1].gpus[0], NodeId(8));
  EXPECT_EQ(plan.instances[2].gpus,
            (std::vector<NodeId>{NodeId(20), NodeId(21), NodeId(22), NodeId(19)}));
  EXPECT_EQ(plan.Entries(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(plan.Decoders(), (std::vector<std::uint32_t>{2}));
}

TEST(DeploymentFile, OwnModelAndGpu) {
  const Deployment found = ParseDeployment(
      "[model]\nname = \"mine\"\nlayers = 4\nhidden = 64\nquery_heads = 8\nkv_heads = 2\n"
      "head_size = 8\nparameters = 1.5\nexperts = 8\ntop_k = 2\nactive_parameters = 0.5\n"
      "[gpu]\nname = \"X\"\nteraflops = 10\nbandwidth_gbytes = 100\nmemory_gbytes = 20\n"
      "[[pool]]\n",
      "d", "H100");
  EXPECT_EQ(found.model.KvBytes(2), 2 * 4 * 2 * 8 * 2);
  EXPECT_EQ(found.model.parameters, 1'500'000'000);
  EXPECT_EQ(found.model.expert_parameters(), 1'000'000'000LL * 8 / 6);
  EXPECT_DOUBLE_EQ(found.gpu.memory, 20);
  EXPECT_EQ(found.pools[0].role, InstanceRole::kMixed);
}

TEST(DeploymentFile, CollectivesOfSteps) {
  const std::string experts = "model = \"qwen3-30b-a3b\"\nsteps = \"closed-form\"\n[[pool]]\n";
  Deployment found = ParseDeployment(experts + "tensor_parallel = 4\n", "d", "H100");
  EXPECT_EQ(found.steps, StepTraffic::kClosedForm);
  EXPECT_EQ(StepShapeOf(found, found.pools[0]).layers, 48U);
  EXPECT_EQ(StepShapeOf(found, found.pools[0]).token_bytes, 2 * 2048);
  EXPECT_EQ(StepShapeOf(found, found.pools[0]).top_k, 0U);
  found =
      ParseDeployment("weights = \"fp8\"\n" + experts + "expert_parallel = true\n", "d", "H100");
  EXPECT_EQ(StepShapeOf(found, found.pools[0]).top_k, 8U);
  EXPECT_EQ(StepShapeOf(found, found.pools[0]).dispatched_bytes, 2048);
  EXPECT_EQ(
      MessageOfDeployment("model = \"llama-3.1-8b\"\n[[pool]]\nexpert_parallel = true\n"),
      "d:2: pool 'mixed 0': expert_parallel with 0 experts over 1 GPUs. Expected: a model with "
      "experts, and tensor_parallel that divides them");
}

TEST(DeploymentFile, MistakesNameTheLine) {
  const std::string model = "model = \"llama-3.1-8b\"\n", pool = "[[pool]]\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {pool, "d: no model"},
      {"model = \"llama\"\n" + pool, "d:1: model 'llama'; the nearest is llama-3.1-8b"},
      {model, "d: no [[pool]]"},
      {model + "x = 1\n" + pool, "d:2: unknown key 'x'"},
      {model + pool + "rol = \"mixed\"\n",
       "d:3: unknown key 'rol' in [[pool]]; the nearest is role"},
      {model + pool + "role = \"both\"\n", "d:3: [[pool]]: role = \"both\""},
      {model + pool + "role = \"prefill\"\n", "d: no pool that decodes"},
      {model + pool + "role = \"decode\"\n", "d: no pool that prefills"},
      {model + pool + pool + "role = \"decode\"\n", "d: pools of the role mixed beside others"},
      {model + pool + "instances = 0\n",
       "d:3: [[pool]]: instances = 0. Expected: a whole number from 1"},
      {model + pool + "instances = 5\ntensor_parallel = 8\n",
       "d:2: pool 'mixed 0': 5 instances of 8 GPUs, and the fabric's 32 GPUs are used up"},
      {model + pool + "gpus = \"40\"\n",
       "d:2: pool 'mixed 0': GPU 40. Expected: GPUs of the fabric"},
      {model + pool + "gpus = \"1-\"\n", "d:3: [[pool]]: gpus = \"1-\""},
      {model + pool + "gpus = \"1,2\"\n", "d:2: pool 'mixed 0': 2 GPUs for 1 instances of 1"},
      {model + pool + "gpus = \"1\"\n" + pool + "gpus = \"1\"\n",
       "d:4: pool 'mixed 1': GPU 1 is in use"},
      {model + pool + "tensor_parallel = 3\n", "d:2: pool 'mixed 0': 8 KV heads over 3 GPUs"},
      {model + pool + "chunked = false\nlongest_chunk = 8\n",
       "d:4: [[pool]]: longest_chunk beside"},
      {model + "gpu = \"H101\"\n" + pool, "d:2: GPU type 'H101'; the nearest is H100"},
      {model + "[gpu]\nteraflops = 1\n" + pool, "d:2: [gpu]: no bandwidth_gbytes"},
      {model + "[memory]\nshare = 2\n" + pool, "d:3: [memory]: share = 2"},
      {model + "[speed]\ndecode_overhead = \"4\"\n" + pool,
       "d:3: [speed]: decode_overhead = \"4\""},
      {"model = \"llama-3.1-405b\"\n" + pool + "tensor_parallel = 8\n",
       "d:2: pool 'mixed 0': the weights of llama-3.1-405b take 101.5 GB of each of 8 GPUs, of "
       "which 72.0 GB may be used"},
      {model + "a = [\n", "d:2: "}};
  for (const auto& [text, message] : mistakes)
    EXPECT_EQ(MessageOfDeployment(text).substr(0, message.size()), message) << text;
}

TEST(DeploymentFile, TheFabricsGpuIsTheDefault) {
  const std::string text = "model = \"llama-3.1-8b\"\n[[pool]]\n";
  EXPECT_EQ(ParseDeployment(text, "d", "H200").gpu.name, "H200");
  EXPECT_EQ(MessageOf([&] { ParseDeployment(text, "d", "TPU"); }).substr(0, 18),
            "d:1: GPU type 'TPU");
}

}  // namespace
}  // namespace heddle
