// SPDX-License-Identifier: GPL-2.0-only
/// The shape of a transformer, and how many parameters it has.
///
/// Symbols: h hidden size, d size of a head, f inner size of an MLP, V vocabulary, s sequence. An
/// attention block has the matrices for queries, keys and values (h to heads x d, and twice to
/// kv_heads x d) and the one for its output. An MLP has two matrices, a gated one (SwiGLU) three.
/// Latent attention (MLA, kv_rank > 0): queries, keys and values come from vectors of q_rank and
/// kv_rank numbers; each head has head_dim + rope_dim numbers for its scores and v_dim for values.
///
/// Not modelled: parameters of multi-token prediction, and biases of routers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct ModelShape {
  std::string name;
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0;
  std::int64_t ffn = 0;  ///< inner size of the MLP of a layer without experts
  std::int64_t vocabulary = 0, sequence = 0;
  bool gated = false;      ///< MLPs have a third matrix (SwiGLU)
  bool biases = false;     ///< linear layers have biases, and norms have them too (LayerNorm)
  bool tied = false;       ///< the output layer shares the embedding's matrix
  bool positions = false;  ///< a learned vector for each position of the sequence
  std::int64_t experts = 0, top_k = 0, expert_ffn = 0;
  std::int64_t shared_ffn = 0;    ///< inner size of the expert that sees every token
  std::int64_t dense_layers = 0;  ///< the first layers, whose MLP has no experts
  /// Groups of experts, of which a token chooses among some, by DeepSeek-V3's gate; 0: none.
  std::int64_t expert_groups = 0, top_groups = 0;
  std::int64_t q_rank = 0, kv_rank = 0, rope_dim = 0, v_dim = 0;  ///< of latent attention

  bool has_experts() const { return experts > 0; }  ///< some layers do
  /// Returns how many numbers of a head make its scores.
  std::int64_t score_dim() const { return head_dim + rope_dim; }
  /// Returns how many numbers of a head are its values.
  std::int64_t value_dim() const { return kv_rank > 0 ? v_dim : head_dim; }
};

/// Weights of two matrices in a row, of which tensor parallelism splits the first by columns and
/// the second by rows; `whole` are weights that every GPU of a TP group has.
struct SplitWeights {
  std::int64_t whole = 0, column = 0, row = 0;
};
/// Returns the weights of one block; with latent attention the matrices to q_rank and kv_rank are
/// `whole`.
SplitWeights AttentionWeights(const ModelShape& shape);
/// Returns the weights of an MLP of inner size `ffn`, an expert's too.
SplitWeights MlpWeights(const ModelShape& shape, std::int64_t ffn);

/// Numbers of the norms and biases of a layer. Biases of the first matrices are split as these are.
struct SmallWeights {
  std::int64_t norms = 0, split_biases = 0, whole_biases = 0;
};
/// Returns those of one layer. `with_experts`: its MLP is experts, which have no biases.
SmallWeights SmallWeightsOf(const ModelShape& shape, bool with_experts);

/// The parameters of a model, by their place.
struct ParameterCount {
  std::int64_t embedding = 0;  ///< with positions
  std::int64_t output = 0;     ///< 0 if tied
  std::int64_t layers = 0;     ///< of all layers but the routed experts
  std::int64_t experts = 0;    ///< routed experts of all layers
  std::int64_t used = 0;       ///< of `experts`, what one token passes through

  /// Returns all parameters, tied ones once.
  std::int64_t total() const { return embedding + output + layers + experts; }
  /// Returns the parameters that one token passes through.
  std::int64_t active() const { return embedding + output + layers + used; }
};
/// Counts the parameters without padding of the vocabulary.
ParameterCount CountParameters(const ModelShape& shape);

/// Shapes that were published: papers and model cards name them.
const std::vector<ModelShape>& KnownModels();

}  // namespace heddle
