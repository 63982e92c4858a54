// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_plan.h"

#include <algorithm>

namespace heddle {

std::vector<std::uint32_t> ServingPlan::Entries() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    if (instances[i].role != InstanceRole::kDecode) found.push_back(i);
  }
  return found;
}

std::vector<std::uint32_t> ServingPlan::Decoders() const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < instances.size(); ++i) {
    if (instances[i].role == InstanceRole::kDecode) found.push_back(i);
  }
  return found;
}

std::vector<KvShare> ServingPlan::SharesOf(std::uint32_t prefill, std::uint32_t decoder) const {
  return SplitKv(model, static_cast<std::uint32_t>(instances[prefill].gpus.size()),
                 static_cast<std::uint32_t>(instances[decoder].gpus.size()));
}

std::int64_t ServingPlan::ShareBytes(const KvShare& share, std::int64_t tokens) const {
  const std::int64_t blocks = (tokens + block_tokens - 1) / block_tokens;
  return blocks * block_tokens * share.heads * model.HeadBytes(kv_bytes);
}

std::uint32_t ServingPlan::LayerParts() const {
  constexpr std::uint32_t kMostParts = 16;
  return std::max<std::uint32_t>(std::min(model.attention_layers, kMostParts), 1);
}

std::uint32_t ServingPlan::KvUnits(std::uint32_t tokens) const {
  switch (kv_transfer) {
    case KvTransfer::kEnd:
      break;
    case KvTransfer::kChunk:
      return tokens;
    case KvTransfer::kLayer:
      return tokens * LayerParts();
  }
  return 1;
}

std::int64_t ServingPlan::UnitBytes(const KvShare& share, std::uint32_t tokens, std::uint32_t begin,
                                    std::uint32_t end) const {
  const __int128 all = ShareBytes(share, tokens);
  const std::uint32_t units = KvUnits(tokens);
  return static_cast<std::int64_t>(all * end / units - all * begin / units);
}

}  // namespace heddle
