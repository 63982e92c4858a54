// SPDX-License-Identifier: GPL-2.0-only
/// Versions of SimAI between which options choose, and the words of compat.simai.
#pragma once

#include <array>
#include <cstdint>

namespace heddle {

enum class SimaiVersion : std::uint8_t { k1_6, k1_7 };
constexpr auto WordsOf(SimaiVersion /*type*/) { return std::array{"1.6", "1.7"}; }

}  // namespace heddle
