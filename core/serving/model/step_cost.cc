// SPDX-License-Identifier: GPL-2.0-only
#include "core/serving/model/step_cost.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/serving/model/kv_shares.h"

namespace heddle {
namespace {

/// amount / (rate a second), in picoseconds, rounded up. Amounts of a step stay below 10^25.
std::int64_t PicosecondsFor(__int128 amount, __int128 rate) {
  constexpr __int128 kSecond = 1'000'000'000'000;
  return static_cast<std::int64_t>((amount * kSecond + rate - 1) / rate);
}

}  // namespace

void StepWork::Add(std::int64_t computed, std::int64_t now) {
  tokens += now;
  attention += now * (2 * computed + now);
  kv_tokens += computed + now;
  ++sequences;
}

StepCost::StepCost(const ServedModel& model, std::uint32_t gpus, std::int64_t weight_bytes,
                   std::int64_t kv_bytes, const Speed& speed)
    : model_(model),
      gpus_(gpus),
      weight_bytes_(weight_bytes),
      kv_bytes_of_gpu_(HeadsOfGpu(model, gpus) * model.HeadBytes(kv_bytes)),
      speed_(speed) {
  HEDDLE_EXPECT(gpus > 0 && speed.operations > 0 && speed.bandwidth > 0);
}

Time StepCost::Of(const StepWork& work) const {
  const __int128 width =
      __int128{2} * model_.attention_layers * model_.query_heads * model_.head_size;
  const __int128 operations =
      __int128{2} * model_.active_parameters * work.tokens + width * work.attention;
  const __int128 weights = __int128{model_.ParametersRead(work.tokens)} * weight_bytes_;
  const __int128 bytes = weights + __int128{work.kv_tokens} * kv_bytes_of_gpu_ * gpus_;
  const std::int64_t compute = PicosecondsFor(operations, __int128{speed_.operations} * gpus_);
  const std::int64_t memory = PicosecondsFor(bytes, __int128{speed_.bandwidth} * gpus_);
  const Time overhead = work.prefill ? speed_.prefill_overhead : speed_.decode_overhead;
  return Time{std::max(compute, memory)} + overhead;
}

}  // namespace heddle
