// SPDX-License-Identifier: GPL-2.0-only
#include "io/workload_model/model_shape.h"

namespace heddle {
namespace {

/// GPT-3's family: GELU, LayerNorm, biases, learned positions, heads of `head_dim`, f = 4 h.
ModelShape GptShape(const char* name, std::int64_t layers, std::int64_t hidden,
                    std::int64_t heads) {
  ModelShape shape;
  shape.name = name;
  shape.layers = layers;
  shape.hidden = hidden;
  shape.heads = shape.kv_heads = heads;
  shape.head_dim = hidden / heads;
  shape.ffn = 4 * hidden;
  shape.vocabulary = 50257;
  shape.sequence = 2048;
  shape.biases = shape.tied = shape.positions = true;
  return shape;
}

/// Llama's family: SwiGLU, RMSNorm, no biases, rotary positions, heads of 128.
ModelShape LlamaShape(const char* name, std::int64_t layers, std::int64_t hidden, std::int64_t ffn,
                      std::int64_t kv_heads, std::int64_t vocabulary, std::int64_t sequence) {
  ModelShape shape;
  shape.name = name;
  shape.layers = layers;
  shape.hidden = hidden;
  shape.head_dim = 128;
  shape.heads = hidden / shape.head_dim;
  shape.kv_heads = kv_heads;
  shape.ffn = ffn;
  shape.vocabulary = vocabulary;
  shape.sequence = sequence;
  shape.gated = true;
  return shape;
}

/// Squared ReLU, rotary positions, no biases, separate output layer.
ModelShape NemotronShape() {
  ModelShape shape = LlamaShape("nemotron4-15b", 32, 6144, 24576, 8, 256000, 4096);
  shape.gated = false;
  return shape;
}

ModelShape MixtralShape() {
  ModelShape shape = LlamaShape("mixtral-8x7b", 32, 4096, 14336, 8, 32000, 4096);
  shape.experts = 8;
  shape.top_k = 2;
  shape.expert_ffn = 14336;
  return shape;
}

ModelShape DeepSeekShape() {
  ModelShape shape = LlamaShape("deepseek-v3", 61, 7168, 18432, 128, 129280, 4096);
  shape.heads = 128;
  shape.experts = 256;
  shape.top_k = 8;
  shape.expert_groups = 8;
  shape.top_groups = 4;
  shape.expert_ffn = shape.shared_ffn = 2048;
  shape.dense_layers = 3;
  shape.q_rank = 1536;
  shape.kv_rank = 512;
  shape.rope_dim = 64;
  shape.v_dim = 128;
  return shape;
}

}  // namespace

SplitWeights AttentionWeights(const ModelShape& shape) {
  const std::int64_t heads = shape.heads;
  SplitWeights weights;
  weights.row = heads * shape.value_dim() * shape.hidden;
  if (shape.kv_rank == 0) {
    weights.column = shape.hidden * shape.head_dim * (heads + 2 * shape.kv_heads);
    return weights;
  }
  weights.whole = shape.hidden * (shape.q_rank + shape.kv_rank + shape.rope_dim);
  weights.column = shape.q_rank * heads * shape.score_dim() +
                   shape.kv_rank * heads * (shape.head_dim + shape.v_dim);
  return weights;
}

SplitWeights MlpWeights(const ModelShape& shape, std::int64_t ffn) {
  return {0, (shape.gated ? 2 : 1) * shape.hidden * ffn, ffn * shape.hidden};
}

SmallWeights SmallWeightsOf(const ModelShape& shape, bool with_experts) {
  SmallWeights small;
  small.norms = 2 * shape.hidden * (shape.biases ? 2 : 1) + shape.q_rank + shape.kv_rank;
  if (!shape.biases) return small;
  small.split_biases = shape.head_dim * (shape.heads + 2 * shape.kv_heads);
  small.whole_biases = shape.hidden;
  if (with_experts) return small;
  small.split_biases += (shape.gated ? 2 : 1) * shape.ffn;
  small.whole_biases += shape.hidden;
  return small;
}

ParameterCount CountParameters(const ModelShape& shape) {
  const auto sum = [](const SplitWeights& w) { return w.whole + w.column + w.row; };
  const std::int64_t with_experts = shape.has_experts() ? shape.layers - shape.dense_layers : 0;
  ParameterCount count;
  count.embedding = (shape.vocabulary + (shape.positions ? shape.sequence : 0)) * shape.hidden;
  count.output = shape.tied ? 0 : shape.vocabulary * shape.hidden;
  count.layers = shape.hidden * (shape.biases ? 2 : 1);  // the last norm
  for (const bool moe : {false, true}) {
    const SmallWeights small = SmallWeightsOf(shape, moe);
    const std::int64_t mlp =
        moe ? sum(MlpWeights(shape, shape.shared_ffn)) + shape.hidden * shape.experts
            : sum(MlpWeights(shape, shape.ffn));
    count.layers += (moe ? with_experts : shape.layers - with_experts) *
                    (sum(AttentionWeights(shape)) + mlp + small.norms + small.split_biases +
                     small.whole_biases);
  }
  const std::int64_t expert = sum(MlpWeights(shape, shape.expert_ffn));
  count.experts = with_experts * shape.experts * expert;
  count.used = with_experts * shape.top_k * expert;
  return count;
}

const std::vector<ModelShape>& KnownModels() {
  static const std::vector<ModelShape> models = {
      GptShape("gpt-7b", 32, 4096, 32),   // Brown et al. 2020, table 2.1: 6.7B
      GptShape("gpt-13b", 40, 5120, 40),  // the same: 13B, with 40 heads of 128
      GptShape("gpt-22b", 48, 6144, 64),  // Korthikanti et al. 2022, table 3
      GptShape("gpt-175b", 96, 12288, 96),
      LlamaShape("llama-7b", 32, 4096, 11008, 32, 32000, 2048),    // Touvron et al. 2023
      LlamaShape("llama-65b", 80, 8192, 22016, 64, 32000, 2048),   // the same
      LlamaShape("llama2-13b", 40, 5120, 13824, 40, 32000, 4096),  // Touvron et al. 2023, Llama 2
      LlamaShape("llama2-70b", 80, 8192, 28672, 8, 32000, 4096),   // the same
      LlamaShape("llama3-8b", 32, 4096, 14336, 8, 128256, 8192),   // Llama Team 2024, table 3
      LlamaShape("llama3-70b", 80, 8192, 28672, 8, 128256, 8192),
      LlamaShape("llama3-405b", 126, 16384, 53248, 8, 128256, 8192),
      NemotronShape(),  // Parmar et al. 2024, table 1
      MixtralShape(),   // Jiang et al. 2024, table 1
      DeepSeekShape(),  // DeepSeek-AI 2024, section 4.2
  };
  return models;
}

}  // namespace heddle
