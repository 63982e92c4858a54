// SPDX-License-Identifier: GPL-2.0-only
/// Times of collectives and of passes as benchmarks give them: smallest, mean, percentiles, without
/// the passes that warm up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/result/attribute_map.h"
#include "io/table/printed_table.h"

namespace heddle {

/// Returns the number of passes that warm up, by the root attributes of a result: 0 if it was not
/// measured.
std::uint32_t WarmupPasses(const AttributeMap& root);

/// Describes a number of times [ps]; percentiles are times that occurred (nearest rank).
struct TimeSpread {
  std::uint64_t number = 0;
  double smallest = 0, mean = 0, p50 = 0, p99 = 0, largest = 0;
};
/// Returns zeros for no times.
TimeSpread SpreadOf(std::vector<std::int64_t> times);

/// Collectives of one kind that ended.
struct KindTimes {
  std::string operation, group;  ///< "ALLREDUCE", "DP"
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;  ///< of the full buffer
  TimeSpread time;
  double bus_bandwidth = 0;  ///< of the mean time, as nccl-tests counts it [B/s]
  double line_rate = 0;      ///< least times of their busiest ports over theirs; 0: not known
  std::string algorithm;     ///< "RING LL128", without a protocol that is NONE; or "several"
};

/// Sums up a table "collectives" (docs/formats/result.md), from pass `first_pass` on; by operation,
/// group, ranks and bytes. The first `warmups` rows of a kind and group do not count.
std::vector<KindTimes> TimesOfKinds(const Table& collectives, std::uint32_t first_pass,
                                    std::uint32_t warmups = 0);

/// Returns the entry of the same operation, group, ranks and bytes; null if there is none.
const KindTimes* FindKind(const std::vector<KindTimes>& kinds, const KindTimes& like);

/// Returns the kinds with a bus bandwidth, in their order; of more than `most` those that took the
/// longest together, the longest first.
std::vector<KindTimes> LongestKinds(std::vector<KindTimes> kinds, std::size_t most);

/// Returns the columns that make a kind a row of JSON.
PrintedColumns<KindTimes> KindColumns();

/// How long passes took, from the end of the last collective of the pass before (the beginning is
/// the end before pass 0), over all jobs.
TimeSpread TimesOfPasses(const Table& collectives, std::uint32_t first_pass);

}  // namespace heddle
