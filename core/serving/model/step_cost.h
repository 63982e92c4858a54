// SPDX-License-Identifier: GPL-2.0-only
/// How long an instance computes a step of its batch: the roofline.
///
/// A step computes n new tokens of each of its sequences, of which p tokens have their KV in
/// memory.
///   operations = 2 P sum(n) + 2 L Hq d sum(n (2 p + n))     P: active parameters, L: attention
///   layers bytes      = parameters read x their bytes + sum(p + n) x KV bytes of a token time =
///   max(operations / rate, bytes / bandwidth) + overhead
/// Operations and parameters are divided evenly among the GPUs of the instance; KV is what a GPU
/// keeps, with copied heads (core/serving/model/kv_shares.h).
///
/// Omitted: uneven experts, pipelines, speculative decoding. The overhead stands for launches; the
/// time of collectives is added by whoever knows the network.
#pragma once

#include <cstdint>

#include "core/base/units.h"
#include "core/serving/model/model_shape.h"

namespace heddle {

/// What a step computes, summed over its sequences.
struct StepWork {
  std::int64_t tokens = 0;     ///< sum(n)
  std::int64_t attention = 0;  ///< sum(n (2 p + n))
  std::int64_t kv_tokens = 0;  ///< sum(p + n)
  std::uint32_t sequences = 0;
  bool prefill = false;  ///< some sequence computes more than its next token

  /// Adds a sequence of `computed` tokens in memory that computes `now` more.
  void Add(std::int64_t computed, std::int64_t now);
};

class StepCost {
 public:
  struct Speed {
    std::int64_t operations = 0;                  ///< that a GPU reaches [1/s], > 0
    std::int64_t bandwidth = 0;                   ///< of its memory [byte/s], > 0
    Time prefill_overhead = MicroSeconds(30000);  ///< of a step with a part of a prompt
    Time decode_overhead = MicroSeconds(5000);    ///< of other steps (recorded launches)
  };
  /// `gpus`: of the instance, > 0. `weight_bytes`, `kv_bytes`: of a parameter and of an element.
  StepCost(const ServedModel& model, std::uint32_t gpus, std::int64_t weight_bytes,
           std::int64_t kv_bytes, const Speed& speed);

  /// Returns the time of a step, rounded up to the picosecond.
  Time Of(const StepWork& work) const;

 private:
  ServedModel model_;
  std::uint32_t gpus_;
  std::int64_t weight_bytes_, kv_bytes_of_gpu_;
  Speed speed_;
};

}  // namespace heddle
