// SPDX-License-Identifier: GPL-2.0-only
/// What a user says of the instances that serve a model (docs/formats/serving.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/serving/batcher.h"
#include "core/serving/model/model_shape.h"
#include "core/serving/serving_plan.h"

namespace heddle {

/// Peaks of a GPU, from its data sheet.
struct ServingGpu {
  std::string name;
  double teraflops = 0;      ///< dense bf16 [10^12/s]
  double fp8_teraflops = 0;  ///< dense fp8 [10^12/s]; 0: it has none
  double bandwidth = 0;      ///< of its memory [10^9 byte/s]
  double memory = 0;         ///< [10^9 byte]
};

/// Bytes of a number.
enum class NumberFormat : std::uint8_t { kBf16, kFp8 };
constexpr auto WordsOf(NumberFormat) { return std::array{"bf16", "fp8"}; }
constexpr std::int64_t BytesOf(NumberFormat format) {
  return format == NumberFormat::kBf16 ? 2 : 1;
}

/// What carries the collectives of steps where they leave GPUs that NVSwitches join.
enum class StepTraffic : std::uint8_t { kMessages, kClosedForm };
constexpr auto WordsOf(StepTraffic) { return std::array{"messages", "closed-form"}; }

/// Instances of one kind.
struct ServingPool {
  std::string name;
  SourceLine where;
  InstanceRole role = InstanceRole::kMixed;
  std::uint32_t instances = 1;
  std::uint32_t tensor_parallel = 1;  ///< GPUs of an instance
  bool expert_parallel = false;       ///< each GPU has whole experts; else a part of each
  /// The GPUs of the first instance, then those of the next; empty: those that no earlier pool has,
  /// from the lowest on.
  std::vector<std::uint32_t> gpus;
  BatchLimits limits;
};

struct Deployment {
  std::string file;  ///< name for messages
  ServedModel model;
  NumberFormat weights = NumberFormat::kBf16, kv = NumberFormat::kBf16;
  ServingGpu gpu;
  double compute_share = 0.6;     ///< of the peak that steps reach
  double bandwidth_share = 0.85;  ///< of the memory's bandwidth
  Time prefill_overhead = MicroSeconds(30000), decode_overhead = MicroSeconds(5000);
  double memory_share = 0.9;  ///< of a GPU's memory that weights, activations and KV may take
  Bytes activations{0};       ///< of a GPU
  std::int64_t block_tokens = 16;
  FirstToken first_token = FirstToken::kDecode;
  KvTransfer kv_transfer = KvTransfer::kEnd;
  bool collectives = true;  ///< of steps take time
  StepTraffic steps = StepTraffic::kMessages;
  std::optional<RouterKind> router;  ///< none: round robin
  double overlap_weight = 1;         ///< of RouterKind::kKvAware
  bool prefix_cache = true;          ///< instances keep the KV of prompts whose blocks are named
  std::vector<ServingPool> pools;
};

/// Lays the pools over those GPUs 0 to `gpus` - 1 that others do not use, and computes memory and
/// speed of the instances; their collectives take no time. Throws UserError for pools that do not
/// go together, GPUs that are missing or used twice, heads that cannot be divided, and weights that
/// do not fit.
ServingPlan MakeServingPlan(const Deployment& deployment, std::uint32_t gpus,
                            const std::vector<NodeId>& others = {});

/// Throws UserError for requests whose prompts cannot be kept in blocks of this size.
void CheckPromptBlocks(const Deployment& deployment, const ServingRequests& requests);

/// Returns the shape of the collectives of a pool's steps: activations of 2 bytes an element; to
/// experts that are apart, of the bytes of weights.
StepProgram::Shape StepShapeOf(const Deployment& deployment, const ServingPool& pool);

}  // namespace heddle
