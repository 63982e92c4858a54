// SPDX-License-Identifier: GPL-2.0-only
/// How far simulated time goes. Time itself (core/base/units.h) ends after 106.7 days.
#pragma once

#include "core/base/units.h"

namespace heddle {

/// The latest time that an input may give to a flow or a failure: 100 days.
constexpr Time kLatestInput = MicroSeconds(1'000'000) * 86'400 * 100;

/// No event at or after this time runs: 105 days. What events before it compute (a timeout of a
/// day, the end of a bin of statistics) still fits into Time.
constexpr Time kEndOfTime = MicroSeconds(1'000'000) * 86'400 * 105;

}  // namespace heddle
