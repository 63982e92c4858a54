// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of deployments (TOML) and of the plans that are made of them.
#include "io/serving/deployment_file.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.toml";
constexpr std::uint32_t kGpus = 64;

void CheckPlan(const ServingPlan& plan) {
  std::vector<bool> used(kGpus);
  for (const InstancePlan& instance : plan.instances) {
    if (instance.blocks < 1 || instance.gpus.empty()) Complain("an instance of nothing");
    for (const NodeId gpu : instance.gpus) {
      if (gpu.value >= kGpus || used[gpu.value]) Complain("a GPU that two instances have");
      used[gpu.value] = true;
    }
    StepWork work;
    work.Add(1000, 100);
    if (instance.cost.Of(work) < Time{}) Complain("a step of negative length");
  }
  if (plan.Entries().empty()) Complain("no instance that requests come to");
}

bool Check(const std::string& text) {
  return Accepts({kFile, true, false, 900},
                 [&] { CheckPlan(MakeServingPlan(ParseDeployment(text, kFile, "H100"), kGpus)); });
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "deployment";
  reader.check = &Check;
  for (const char* word : {"[[pool]]",
                           "[speed]",
                           "[memory]",
                           "[gpu]",
                           "[model]",
                           "model",
                           "gpu",
                           "weights",
                           "kv",
                           "first_token",
                           "collectives",
                           "steps",
                           "\"closed-form\"",
                           "kv_transfer",
                           "\"layer\"",
                           "expert_parallel",
                           "router",
                           "\"kv-aware\"",
                           "overlap_weight",
                           "prefix_cache",
                           "role",
                           "instances",
                           "tensor_parallel",
                           "gpus",
                           "token_budget",
                           "max_running",
                           "longest_chunk",
                           "chunked",
                           "compute_share",
                           "share",
                           "activations",
                           "block_tokens",
                           "prefill_overhead",
                           "\"prefill\"",
                           "\"decode\"",
                           "\"mixed\"",
                           "\"llama-3.1-8b\"",
                           "\"deepseek-v3\"",
                           "\"fp8\"",
                           "\"H200\"",
                           "\"0-7,9\"",
                           "\"5ms\"",
                           "\"2GiB\"",
                           "true",
                           "1e3",
                           "inf",
                           "nan",
                           "0x7f",
                           "-1",
                           "9223372036854775807",
                           "'''",
                           "[",
                           "]",
                           "{a = 1}"}) {
    reader.words.emplace_back(word);
  }
  reader.seeds = {
      "model = \"llama-3.1-8b\"\ngpu = \"H100\"\nweights = \"fp8\"\n[speed]\ncompute_share = 0.5\n"
      "[[pool]]\nrole = \"prefill\"\ninstances = 2\ntensor_parallel = 8\n[[pool]]\nrole = "
      "\"decode\"\ntensor_parallel = 4\ngpus = \"60-63\"\n",
      "model = \"qwen3-8b\"\nrouter = \"kv-aware\"\noverlap_weight = 2\nprefix_cache = "
      "false\n[[pool]]\n",
      "model = \"qwen3-8b\"\nfirst_token = \"prefill\"\n[memory]\nshare = 0.8\nactivations = "
      "\"2GiB\"\nblock_tokens = 64\n[[pool]]\nchunked = false\nmax_running = 8\n",
      "[model]\nlayers = 4\nhidden = 64\nquery_heads = 8\nkv_heads = 2\nhead_size = 8\nparameters "
      "= "
      "1.5\nexperts = 8\ntop_k = 2\nactive_parameters = 0.5\n[gpu]\nteraflops = "
      "10\nbandwidth_gbytes = 100\nmemory_gbytes = 20\n[[pool]]\nlongest_chunk = 100\n"};
  return reader;
}

}  // namespace heddle
