// SPDX-License-Identifier: GPL-2.0-only
/// Measured times of collectives, with what the closed form says of each: from a result, or from
/// the output of nccl-tests on a fabric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/launch/calibrate/calibrate_arguments.h"
#include "core/records/calibration_row.h"

namespace heddle {

/// Collectives of one kind and size.
struct MeasuredPoint {
  std::int64_t bytes = 1;  ///< > 0
  double seconds = 0;      ///< measured, > 0
  double closed_form = 0;  ///< the closed form's time [s], > 0
  double number = 1;       ///< of collectives that it is the mean of
};

/// Collectives of one kind, by size.
struct MeasuredKind {
  CalibratedKind kind;
  std::vector<MeasuredPoint> points;
};

/// Returns the collectives of results, ended ones only: each kind and size, groups that lie alike
/// together. Fabric and options are the result's. Throws UserError with the file's name for a
/// result that closed forms made, without collectives, or whose algorithms are not the ones that
/// this program chooses.
std::vector<MeasuredKind> MeasuredInResults(const std::vector<std::string>& paths);

/// Reads what nccl-tests printed, in one or several files, on the first GPUs of a fabric. Throws
/// UserError with file and line, or the flag that is missing.
std::vector<MeasuredKind> MeasuredByNcclTests(const CalibrateArguments& given);

}  // namespace heddle
