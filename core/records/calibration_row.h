// SPDX-License-Identifier: GPL-2.0-only
/// One measured size of a collective, as a calibration has it: plain data that `io` reads and
/// `collectives` uses (collectives/calibration/calibration.h says what it means).
#pragma once

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
  std::int64_t bytes = 1;  ///< of the full buffer, > 0
  double seconds = 1;      ///< measured, in the range below
  double closed_form = 1;  ///< of the fabric on which it was measured [s], in the range below
};

/// Range of the times of a calibration [s].
inline constexpr double kLeastCalibrated = 1e-9, kMostCalibrated = 1e6;

}  // namespace heddle
