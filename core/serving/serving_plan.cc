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
    case KvTransfer::kChunk:
      break;
    case KvTransfer::kLayer:
      return tokens * LayerParts();
  }
  return tokens;
}

std::int64_t ServingPlan::UnitBytes(const KvShare& share, const KvRange& range) const {
  const __int128 all = ShareBytes(share, range.tokens) - ShareBytes(share, range.there);
  const std::uint32_t first = KvUnits(range.there), units = KvUnits(range.tokens) - first;
  return static_cast<std::int64_t>(all * (range.end - first) / units -
                                   all * (range.begin - first) / units);
}

RouterGround ServingPlan::GroundOfRouter() const {
  RouterGround ground;
  ground.kind = router;
  ground.overlap_weight = overlap_weight;
  ground.block_tokens = block_tokens;
  ground.prefix_cache = prefix_cache;
  ground.entries = Entries();
  ground.decoders = Decoders();
  for (const InstancePlan& instance : instances) ground.blocks.push_back(instance.blocks);
  return ground;
}

}  // namespace heddle
