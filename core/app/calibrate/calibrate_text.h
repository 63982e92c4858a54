// SPDX-License-Identifier: GPL-2.0-only
/// How well a calibration fits what was measured, as text.
#ifndef HEDDLE_CORE_APP_CALIBRATE_CALIBRATE_TEXT_H_
#define HEDDLE_CORE_APP_CALIBRATE_CALIBRATE_TEXT_H_

#include <string>
#include <vector>

#include "collectives/calibration/calibration.h"
#include "core/app/calibrate/measured_kinds.h"
#include "io/table/json_document.h"

namespace heddle {

/// Each kind with its latency and range of efficiencies, and a line for each of its points: the
/// measured, the fitted and the closed form's time with their errors. Whole lines.
std::string FitText(const MeasuredKind& kind, const Calibration& fitted);

/// The errors of all points: "mean error 0.8 %, largest 2.3 % (closed forms: 7.1 %, 23.0 %)".
std::string FitSummary(const std::vector<MeasuredKind>& kinds, const Calibration& fitted);

/// The object of --json. `output`: the calibration's file; empty: none was written.
OrderedJson FitJson(const std::vector<MeasuredKind>& kinds, const Calibration& fitted,
                    const std::string& output);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_CALIBRATE_CALIBRATE_TEXT_H_
