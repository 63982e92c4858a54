// SPDX-License-Identifier: GPL-2.0-only
/// The best of several values of one figure, and how far the others are from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Which values of a figure are good.
enum class Better : std::uint8_t { kLess, kMore, kNeither };

/// Returns the index of the best value, the first of equals. None if nothing is better, or no value
/// is there.
std::optional<std::size_t> BestValue(const std::vector<std::optional<double>>& values,
                                     Better better);

/// Whether a value is as good as the best one: as far as a difference in percent would show it,
/// which is half of 0.1 %.
bool IsAsGood(double value, double best);

/// "+3.2 %", or "111x" from ten times on, where percents say little; empty for a value that is as
/// good as the best one, and for a best one of 0.
std::string DifferenceText(double value, double best);

}  // namespace heddle
