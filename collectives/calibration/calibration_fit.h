// SPDX-License-Identifier: GPL-2.0-only
/// Fits a calibration of one kind of collective to measured times.
///
/// Unknown are the latency L and the slowness x (1 / efficiency) at some sizes, each a quarter of
/// the next (calibration.h has what lies between). With t_i the measured and P_i the ports' time:
///
///     sum of w_i ((t_i - L - P_i x(B_i)) / t_i)^2 + small terms = least
///
/// L is at least 0, x in the range of an efficiency. The small terms decide what times leave open:
/// neighbouring x are alike, and L and x are near those of the closed form, each as a share of
/// itself. So times of one size that are far off are laid to the efficiency. It is a linear least
/// square with bounds, solved exactly: unknowns beyond a bound are set to it, the others solved
/// again.
#ifndef HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_FIT_H_
#define HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_FIT_H_

#include <cstdint>
#include <vector>

#include "core/records/calibration_row.h"

namespace heddle {

/// Collectives of one kind and size.
struct MeasuredPoint {
  std::int64_t bytes = 1;  ///< > 0
  double seconds = 0;      ///< measured, > 0
  double ports = 0;        ///< the busiest port's time [s], > 0
  double closed_form = 0;  ///< the closed form's time [s], > 0
  double weight = 1;       ///< number of collectives that it is the mean of, > 0
};

/// The rows of a kind. At least one point. Time: O(points + sizes^4).
std::vector<CalibrationRow> FitCalibration(const CalibratedKind& kind,
                                           const std::vector<MeasuredPoint>& points);

}  // namespace heddle

#endif  // HEDDLE_COLLECTIVES_CALIBRATION_CALIBRATION_FIT_H_
