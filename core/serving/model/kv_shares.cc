// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/kv_shares.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

/// GPUs that keep one head: `count` of them from `first` on.
struct Holders {
  std::uint32_t first = 0, count = 1;
};

Holders HoldersOf(std::uint32_t head, std::uint32_t heads, std::uint32_t gpus) {
  if (gpus <= heads) return {head / (heads / gpus), 1};
  return {head * (gpus / heads), gpus / heads};
}

}  // namespace

std::uint32_t HeadsOfGpu(const ServedModel& model, std::uint32_t gpus) {
  return std::max(model.kv_heads / gpus, 1U);
}

bool FitsHeads(const ServedModel& model, std::uint32_t gpus) {
  return gpus > 0 && (model.kv_heads % gpus == 0 || gpus % model.kv_heads == 0);
}

std::vector<KvShare> SplitKv(const ServedModel& model, std::uint32_t senders,
                             std::uint32_t receivers) {
  const std::uint32_t heads = model.kv_heads;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shares;  // by to, from
  for (std::uint32_t head = 0; head < heads; ++head) {
    const Holders from = HoldersOf(head, heads, senders), to = HoldersOf(head, heads, receivers);
    for (std::uint32_t i = 0; i < to.count; ++i)
      ++shares[{to.first + i, from.first + i % from.count}];
  }
  std::vector<KvShare> split;
  for (const auto& [ends, count] : shares) split.push_back({ends.second, ends.first, count});
  return split;
}

}  // namespace heddle
