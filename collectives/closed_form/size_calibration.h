// SPDX-License-Identifier: GPL-2.0-only
/// SimAI's measured tables as a calibration with a name: which part of its bandwidth a collective
/// reaches, and the least time that it takes.
///
/// Source: the tables of simai_size_ratio.h and the fixed times of SimAI 1.6, Layer.cc
/// (compute_time). Between rows and columns the part is linear in the logarithms of size and
/// servers, beyond them flat; columns that a table leaves empty count as beyond. The least time is
/// linear in the logarithm of the number of ranks, and flat below 2 and above 128. Both are
/// continuous. Not used: the column "Multi 16", as nothing says what it was measured on.
#pragma once

#include <cstdint>

#include "collectives/simai_closed_form/simai_size_ratio.h"

namespace heddle {

/// Returns the table's value over that of its last row, in (0, 1].
double CalibratedPart(SimaiRatioTable table, double bytes, double servers);

/// Returns the least time of a collective over so many ranks [s].
double CalibratedLeastTime(std::uint32_t ranks);

}  // namespace heddle
