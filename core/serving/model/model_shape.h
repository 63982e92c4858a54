// SPDX-License-Identifier: GPL-2.0-only
/// The shape of a language model, as far as serving it needs: parameters, attention, experts, and
/// the KV cache that a token leaves.
///
/// Source: the models' public configurations (the widths of their layers, their parameters). A
/// token's KV in one attention layer is 2 x heads x head size elements, or one latent that all
/// heads share (MLA: 512 + 64 elements). Layers of linear attention keep a state that does not
/// grow, which is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

struct ServedModel {
  std::string name;
  std::uint32_t layers = 0;
  std::uint32_t attention_layers = 0;  ///< with a KV cache that grows
  std::uint32_t hidden = 0;            ///< elements of a token between layers
  std::uint32_t query_heads = 0;
  std::uint32_t kv_heads = 0;   ///< 1 if there is a latent
  std::uint32_t head_size = 0;  ///< elements; of MLA: those of the latent
  bool latent = false;          ///< MLA: each GPU of an instance keeps all of a token's KV
  /// Bytes of a latent in one layer if it is not elements x their bytes; 0: it is.
  std::uint32_t latent_bytes = 0;
  std::uint32_t experts = 0;           ///< of a layer; 0: dense
  std::uint32_t top_k = 0;             ///< experts that a token takes
  std::int64_t active_parameters = 0;  ///< that a token takes
  std::int64_t parameters = 0;         ///< all

  /// Returns the bytes that one head, or the latent, keeps of a token in all layers.
  std::int64_t HeadBytes(std::int64_t element_bytes) const;
  /// Returns the bytes that all heads keep of a token, each once.
  std::int64_t KvBytes(std::int64_t element_bytes) const {
    return kv_heads * HeadBytes(element_bytes);
  }
  /// Returns the parameters of all experts of all layers.
  std::int64_t expert_parameters() const;
  /// Returns the parameters that a step of `tokens` reads: those of the experts that no token
  /// chooses are not. Choices are taken as even and independent: a share 1 - (1 - k / E)^tokens of
  /// the experts is read.
  std::int64_t ParametersRead(std::int64_t tokens) const;
};

/// Returns the models that have a name, by size of their families.
const std::vector<ServedModel>& ServedModels();
/// Returns a model by name; null if it is unknown.
const ServedModel* FindServedModel(const std::string& name);

}  // namespace heddle
