// SPDX-License-Identifier: GPL-2.0-only
/// The layout of GOAL's binary files (docs/formats/goal.md), in bytes. Numbers are little endian.
#pragma once

#include <cstdint>

namespace heddle::goal_layout {

inline constexpr std::uint64_t kMagic = 4223;  ///< at the file's begin
inline constexpr std::uint64_t kTable = 14;    ///< where the table of ranks begins
inline constexpr std::uint64_t kOrigin = 8;    ///< from where its places count
inline constexpr std::uint64_t kTableRow = 16, kRankHead = 8, kNode = 39, kIndex = 4;
inline constexpr std::uint8_t kSend = 1, kReceive = 2, kCalc = 3;  ///< kinds of operations

}  // namespace heddle::goal_layout
