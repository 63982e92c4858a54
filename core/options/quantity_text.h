// SPDX-License-Identifier: GPL-2.0-only
/// Numbers for people: durations, rates, long whole numbers.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace heddle {

/// Returns "00:14:10", or "3 d 02:14:10".
std::string DurationText(double seconds);
/// Returns "812", "3.1 k", "5.2 M", "7 G": up to 999 of a unit, two digits at least.
std::string RateText(double rate);
/// Returns the number of microseconds with three digits after the point, rounded to the nearest;
/// exact for all times: "1699.549".
std::string MicrosecondText(Time t);
/// Returns "1,234,567".
std::string GroupedDigits(std::uint64_t number);

}  // namespace heddle
