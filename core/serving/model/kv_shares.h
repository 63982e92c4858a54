// SPDX-License-Identifier: GPL-2.0-only
/// Who sends which part of a prompt's KV cache to whom, between two instances with tensor
/// parallelism.
///
/// With no more GPUs than heads a GPU keeps heads / GPUs of them; with more, heads are copied: GPU
/// r of T keeps head floor(r H / T). A GPU that receives needs each of its heads once; of the
/// copies of one head it takes that of its own place among those who need it, so that equal
/// instances send GPU by GPU. A latent (MLA) is a head that all GPUs keep.
#pragma once

#include <cstdint>
#include <vector>

#include "core/serving/model/model_shape.h"

namespace heddle {

/// Heads that one GPU sends to one other.
struct KvShare {
  std::uint32_t from = 0;   ///< place in the instance that sends
  std::uint32_t to = 0;     ///< place in the instance that receives
  std::uint32_t heads = 0;  ///< > 0
};

/// Returns the heads that a GPU of `gpus` keeps, at least 1. `gpus` divides the heads, or is a
/// multiple of them (FitsHeads()).
std::uint32_t HeadsOfGpu(const ServedModel& model, std::uint32_t gpus);
/// Whether the heads can be laid over so many GPUs.
bool FitsHeads(const ServedModel& model, std::uint32_t gpus);

/// Returns all shares, by receiver, then sender.
std::vector<KvShare> SplitKv(const ServedModel& model, std::uint32_t senders,
                             std::uint32_t receivers);

}  // namespace heddle
