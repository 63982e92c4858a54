// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace heddle {
namespace {

/// Throws UserError unless all pools are mixed, or some prefill and some decode.
void CheckRoles(const Deployment& deployment) {
  bool has[3] = {false, false, false};
  for (const ServingPool& pool : deployment.pools) has[static_cast<int>(pool.role)] = true;
  const bool mixed = has[0] && !has[1] && !has[2], apart = !has[0] && has[1] && has[2];
  if (mixed || apart) return;
  const char* found = has[0]   ? "pools of the role mixed beside others"
                      : has[1] ? "no pool that decodes"
                      : has[2] ? "no pool that prefills"
                               : "no [[pool]]";
  FailInput({deployment.file, 0}, found,
            "[[pool]] with role = \"mixed\", or one with \"prefill\" and one with \"decode\"");
}

/// Hands out GPUs, each once.
class GpuPlaces {
 public:
  GpuPlaces(std::uint32_t gpus, const std::vector<NodeId>& others) : taken_(gpus) {
    for (const NodeId gpu : others) taken_[gpu.value] = true;
  }

  std::vector<NodeId> Take(const ServingPool& pool, std::uint32_t instance) {
    std::vector<NodeId> found;
    for (std::uint32_t i = 0; i < pool.tensor_parallel; ++i) {
      const std::uint32_t gpu =
          pool.gpus.empty() ? NextFree(pool) : pool.gpus[instance * pool.tensor_parallel + i];
      if (gpu >= taken_.size())
        FailInput(pool.where, fmt::format("pool {}: GPU {}", Quoted(pool), gpu),
                  fmt::format("GPUs of the fabric, which has {}", taken_.size()));
      if (taken_[gpu])
        FailInput(pool.where, fmt::format("pool {}: GPU {} is in use", Quoted(pool), gpu),
                  "a GPU in one instance, and in no job");
      taken_[gpu] = true;
      found.push_back(NodeId(gpu));
    }
    return found;
  }

 private:
  static std::string Quoted(const ServingPool& pool) { return "'" + Printable(pool.name) + "'"; }

  std::uint32_t NextFree(const ServingPool& pool) {
    while (free_ < taken_.size() && taken_[free_]) ++free_;
    if (free_ == taken_.size())
      FailInput(
          pool.where,
          fmt::format("pool {}: {} instance{} of {} GPU{}, and the fabric's {} GPUs are used up",
                      Quoted(pool), pool.instances, pool.instances == 1 ? "" : "s",
                      pool.tensor_parallel, pool.tensor_parallel == 1 ? "" : "s", taken_.size()),
          "pools that the fabric has room for");
    return free_;
  }

  std::vector<bool> taken_;
  std::uint32_t free_ = 0;
};

/// Throws UserError unless there is room for a block at least.
std::int64_t BlocksOf(const Deployment& deployment, const ServingPool& pool) {
  const double gpus = pool.tensor_parallel;
  const double weights = static_cast<double>(deployment.model.parameters) *
                         static_cast<double>(BytesOf(deployment.weights)) / gpus;
  const double room = deployment.gpu.memory * 1e9 * deployment.memory_share;
  const double block = static_cast<double>(deployment.block_tokens *
                                           HeadsOfGpu(deployment.model, pool.tensor_parallel) *
                                           deployment.model.HeadBytes(BytesOf(deployment.kv)));
  const double left = room - weights - static_cast<double>(deployment.activations.count);
  if (left >= block) return static_cast<std::int64_t>(std::floor(left / block));
  FailInput(pool.where,
            fmt::format("pool '{}': the weights of {} take {:.1f} GB of each of {} GPUs, of which "
                        "{:.1f} GB may be used; nothing is left for KV",
                        Printable(pool.name), Printable(deployment.model.name), weights * 1e-9,
                        pool.tensor_parallel, room * 1e-9),
            "more GPUs in tensor_parallel, weights = \"fp8\", or a GPU with more memory");
}

StepCost::Speed SpeedOf(const Deployment& deployment) {
  const bool fp8 = deployment.weights == NumberFormat::kFp8 && deployment.gpu.fp8_teraflops > 0;
  const double teraflops = fp8 ? deployment.gpu.fp8_teraflops : deployment.gpu.teraflops;
  StepCost::Speed speed;
  speed.operations = std::llround(teraflops * 1e12 * deployment.compute_share);
  speed.bandwidth = std::llround(deployment.gpu.bandwidth * 1e9 * deployment.bandwidth_share);
  speed.prefill_overhead = deployment.prefill_overhead;
  speed.decode_overhead = deployment.decode_overhead;
  return speed;
}

void CheckPool(const Deployment& deployment, const ServingPool& pool) {
  if (!FitsHeads(deployment.model, pool.tensor_parallel))
    FailInput(pool.where,
              fmt::format("pool '{}': {} KV heads over {} GPUs", Printable(pool.name),
                          deployment.model.kv_heads, pool.tensor_parallel),
              "tensor_parallel that divides the heads, or a multiple of them");
  if (pool.expert_parallel &&
      (deployment.model.experts == 0 || deployment.model.experts % pool.tensor_parallel != 0))
    FailInput(pool.where,
              fmt::format("pool '{}': expert_parallel with {} experts over {} GPUs",
                          Printable(pool.name), deployment.model.experts, pool.tensor_parallel),
              "a model with experts, and tensor_parallel that divides them");
  const std::uint64_t needed = std::uint64_t{pool.instances} * pool.tensor_parallel;
  if (!pool.gpus.empty() && pool.gpus.size() != needed)
    FailInput(pool.where,
              fmt::format("pool '{}': {} GPUs for {} instances of {}", Printable(pool.name),
                          pool.gpus.size(), pool.instances, pool.tensor_parallel),
              fmt::format("{} GPUs", needed));
}

}  // namespace

ServingPlan MakeServingPlan(const Deployment& deployment, std::uint32_t gpus,
                            const std::vector<NodeId>& others) {
  CheckRoles(deployment);
  ServingPlan plan;
  plan.model = deployment.model;
  plan.kv_bytes = BytesOf(deployment.kv);
  plan.block_tokens = deployment.block_tokens;
  plan.first_token = deployment.first_token;
  plan.kv_transfer = deployment.kv_transfer;
  plan.router = deployment.router.value_or(RouterKind::kRoundRobin);
  plan.overlap_weight = deployment.overlap_weight;
  // Blocks of prompts are whole blocks of the memory; CheckPromptBlocks() refuses requests else.
  plan.prefix_cache = deployment.prefix_cache && kPromptBlockTokens % deployment.block_tokens == 0;
  GpuPlaces places(gpus, others);
  for (const ServingPool& pool : deployment.pools) {
    CheckPool(deployment, pool);
    const std::int64_t blocks = BlocksOf(deployment, pool);
    const StepCost cost(plan.model, pool.tensor_parallel, BytesOf(deployment.weights),
                        plan.kv_bytes, SpeedOf(deployment));
    for (std::uint32_t i = 0; i < pool.instances; ++i) {
      const auto number = static_cast<std::uint32_t>(plan.pools.size());
      plan.instances.push_back(
          {pool.role, number, places.Take(pool, i), pool.limits, blocks, cost, {}});
    }
    plan.pools.push_back(pool.name);
  }
  return plan;
}

void CheckPromptBlocks(const Deployment& deployment, const ServingRequests& requests) {
  const bool named = std::any_of(requests.begin(), requests.end(),
                                 [](const ServingRequest& one) { return !one.blocks.empty(); });
  if (!named || !deployment.prefix_cache || kPromptBlockTokens % deployment.block_tokens == 0)
    return;
  FailInput(
      {deployment.file, 0},
      fmt::format("block_tokens = {}: the blocks of {} tokens that the requests name are no "
                  "whole blocks of KV memory",
                  deployment.block_tokens, kPromptBlockTokens),
      fmt::format("block_tokens that divides {}, or prefix_cache = false", kPromptBlockTokens));
}

StepProgram::Shape StepShapeOf(const Deployment& deployment, const ServingPool& pool) {
  StepProgram::Shape shape;
  shape.layers = deployment.model.layers;
  shape.token_bytes = std::int64_t{deployment.model.hidden} * BytesOf(NumberFormat::kBf16);
  if (!pool.expert_parallel) return shape;
  shape.top_k = deployment.model.top_k;
  shape.dispatched_bytes = std::int64_t{deployment.model.hidden} * BytesOf(deployment.weights);
  return shape;
}

}  // namespace heddle
