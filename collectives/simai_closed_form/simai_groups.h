// SPDX-License-Identifier: GPL-2.0-only
/// What SimAI's two prices of a collective are made from.
///
/// Source: SimAI 1.6, Layer.cc (report, compute_time).
#pragma once

#include <cstdint>
#include <optional>

#include "core/traffic/workload.h"

namespace heddle {

/// One collective of a row.
struct SimaiCollective {
  Operation operation = Operation::kNone;
  std::optional<GroupType> group;
  std::uint64_t bytes = 0;  ///< of the full buffer
  int ranks = 0;            ///< of its group, as SimAI counts them
};

/// Sizes of the job and of its servers. Integers have SimAI's types: what a flag or a header sets
/// below zero is large without a sign.
struct SimaiGroups {
  int gpus = 0;  ///< -g
  int tensor = 0, expert = 0;
  std::uint32_t gpus_per_server = 0, nics_per_server = 0;
};

/// B / 2^30 / bandwidth * 1e9 * (AllReduce: 2) * (n - 1) / n [ns], from left to right as SimAI
/// computes it. `bandwidth` [2^30 byte/s].
inline double SimaiNanoseconds(const SimaiCollective& collective, float bandwidth) {
  double time =
      static_cast<double>(collective.bytes) / 1073741824.0 / static_cast<double>(bandwidth) * 1e9;
  if (collective.operation == Operation::kAllReduce) time *= 2;
  return time * (collective.ranks - 1) / collective.ranks;
}

}  // namespace heddle
