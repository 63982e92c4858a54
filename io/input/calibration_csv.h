// SPDX-License-Identifier: GPL-2.0-only
/// Calibrations of closed forms as text (docs/formats/calibration.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/records/calibration_row.h"

namespace heddle {

/// Returns the rows, at least one. Throws UserError with file `name` and line for a text that is
/// none, and for a kind with two latencies or one size twice.
std::vector<CalibrationRow> ParseCalibration(std::string_view text, const std::string& name);

/// Returns the text of rows. `notes`: lines without their ends that say where the rows come from.
std::string CalibrationText(const std::vector<CalibrationRow>& rows,
                            const std::vector<std::string>& notes);

}  // namespace heddle
