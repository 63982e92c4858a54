// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/model_shape.h"

#include <algorithm>

namespace heddle {
namespace {

/// A power by squaring: the same bits on each machine, as only products round.
double Power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

constexpr std::int64_t kMillion = 1'000'000;

}  // namespace

std::int64_t ServedModel::HeadBytes(std::int64_t element_bytes) const {
  if (latent)
    return attention_layers * (latent_bytes > 0 ? latent_bytes : head_size * element_bytes);
  return std::int64_t{2} * attention_layers * head_size * element_bytes;
}

std::int64_t ServedModel::expert_parameters() const {
  // all = rest + experts, active = rest + experts k / E
  if (experts <= top_k) return 0;
  return static_cast<std::int64_t>(static_cast<__int128>(parameters - active_parameters) * experts /
                                   (experts - top_k));
}

std::int64_t ServedModel::ParametersRead(std::int64_t tokens) const {
  const std::int64_t of_experts = expert_parameters();
  if (of_experts == 0) return parameters;
  const double missed = Power(1.0 - static_cast<double>(top_k) / experts, tokens);
  const auto read = static_cast<std::int64_t>(static_cast<double>(of_experts) * (1.0 - missed));
  return parameters - of_experts + std::min(read, of_experts);
}

const std::vector<ServedModel>& ServedModels() {
  // layers, with attention, hidden, heads of queries, of KV, head size, latent, its bytes, experts,
  // top k, active and all parameters
  static const std::vector<ServedModel> models = {
      {"llama-3.1-8b", 32, 32, 4096, 32, 8, 128, false, 0, 0, 0, 8030 * kMillion, 8030 * kMillion},
      {"llama-3.3-70b", 80, 80, 8192, 64, 8, 128, false, 0, 0, 0, 70550 * kMillion,
       70550 * kMillion},
      {"llama-3.1-405b", 126, 126, 16384, 128, 8, 128, false, 0, 0, 0, 405850 * kMillion,
       405850 * kMillion},
      {"qwen3-8b", 36, 36, 4096, 32, 8, 128, false, 0, 0, 0, 8190 * kMillion, 8190 * kMillion},
      {"qwen3-30b-a3b", 48, 48, 2048, 32, 4, 128, false, 0, 128, 8, 3300 * kMillion,
       30500 * kMillion},
      {"qwen3-235b-a22b", 94, 94, 4096, 64, 4, 128, false, 0, 128, 8, 22000 * kMillion,
       235000 * kMillion},
      {"qwen3-next-80b-a3b", 48, 12, 2048, 16, 2, 256, false, 0, 512, 10, 3000 * kMillion,
       80000 * kMillion},
      {"deepseek-v3", 61, 61, 7168, 128, 1, 576, true, 0, 256, 8, 37000 * kMillion,
       671000 * kMillion},
      {"deepseek-v3.2-fp8kv", 61, 61, 7168, 128, 1, 576, true, 656, 256, 8, 37000 * kMillion,
       671000 * kMillion},
      {"kimi-k2", 61, 61, 7168, 64, 1, 576, true, 0, 384, 8, 32000 * kMillion, 1000000 * kMillion},
      {"mixtral-8x7b", 32, 32, 4096, 32, 8, 128, false, 0, 8, 2, 12900 * kMillion,
       46700 * kMillion},
  };
  return models;
}

const ServedModel* FindServedModel(const std::string& name) {
  const std::vector<ServedModel>& models = ServedModels();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ServedModel& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace heddle
