// SPDX-License-Identifier: GPL-2.0-only
/// How well a calibration predicts what was measured, as text.
#pragma once

#include <string>
#include <vector>

#include "core/app/launch/calibrate/measured_kinds.h"
#include "core/records/calibration_row.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the rows of a calibration.
std::vector<CalibrationRow> RowsOf(const std::vector<MeasuredKind>& kinds);

/// Lists each kind with the range of its factors, and a line for each of its points: the measured
/// time, the closed form's, and the one that the other sizes predict, with their errors. `rows`: of
/// all kinds. Whole lines.
std::string FitText(const MeasuredKind& kind, const std::vector<CalibrationRow>& rows);

/// Returns the errors of all points: of closed forms, and of what the other sizes predict.
std::string FitSummary(const std::vector<MeasuredKind>& kinds);

/// Returns the object of --json. `output`: the calibration's file; empty: none was written.
OrderedJson FitJson(const std::vector<MeasuredKind>& kinds, const std::string& output);

}  // namespace heddle
