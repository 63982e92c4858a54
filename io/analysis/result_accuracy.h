// SPDX-License-Identifier: GPL-2.0-only
/// How far the times of one result's collectives are from those of another result of the same
/// programs, as that of another backend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/result/result_reader.h"

namespace heddle {

/// Errors are of the other result's time, as a share of the reference's.
struct KindAccuracy {
  std::string operation, group;  ///< "ALLREDUCE", "DP"
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;                 ///< of the full buffer
  std::uint64_t number = 0;               ///< of collectives that ended in both
  double reference_ps = 0, other_ps = 0;  ///< means
  double error = 0;                       ///< of the sums
  double mean_error = 0, p99_error = 0;   ///< of single collectives, without sign
};

struct ResultAccuracy {
  std::int64_t reference_ps = 0, other_ps = 0;  ///< simulated time of the run
  double error = 0;
  std::vector<KindAccuracy> kinds;  ///< the longest sum of times first
  double mean_error = 0, p99_error = 0;
};

/// Compares tables "collectives" (docs/formats/result.md) by job, operation and group. Throws
/// UserError if no collective is in both, or one differs in what it is.
std::vector<KindAccuracy> CompareCollectives(const Table& reference, const Table& other,
                                             double* mean_error, double* p99_error);

/// Compares the simulated times and the collectives of two results. Throws as CompareCollectives().
ResultAccuracy AccuracyOf(const ResultReader& reference, const ResultReader& other);

}  // namespace heddle
