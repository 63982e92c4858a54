// SPDX-License-Identifier: GPL-2.0-only
/// One measured size of a collective, as a calibration has it: plain data that `io` reads and
/// `collectives` uses (collectives/calibration/calibration.h says what it means).
#ifndef HEDDLE_CORE_RECORDS_CALIBRATION_ROW_H_
#define HEDDLE_CORE_RECORDS_CALIBRATION_ROW_H_

#include <cstdint>

#include "core/records/collective_algorithm.h"
#include "core/traffic/workload.h"

namespace heddle {

/// A kind of collective.
struct CalibratedKind {
  Operation operation = Operation::kAllReduce;
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kNone;
  std::uint32_t ranks = 2, servers = 1;
};

struct CalibrationRow {
  CalibratedKind kind;
  double latency = 0;      ///< of the kind, the same in all of its rows [s], >= 0
  std::int64_t bytes = 1;  ///< of the full buffer, > 0
  double efficiency = 1;   ///< share of the busiest port's rate that is reached, > 0
};

/// Range of an efficiency. Above 1: the kind is faster than the closed form believes its ports.
inline constexpr double kLeastEfficiency = 1e-4, kMostEfficiency = 10;

}  // namespace heddle

#endif  // HEDDLE_CORE_RECORDS_CALIBRATION_ROW_H_
