// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/serving_plan.h"

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

}  // namespace heddle
