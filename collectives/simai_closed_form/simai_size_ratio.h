// SPDX-License-Identifier: GPL-2.0-only
/// Which part of its bus bandwidth a collective reaches at a size, by the tables that SimAI ships.
///
/// Source: SimAI 1.6, inputs/ratio/nic_ratio.csv, nvlink_ratio.csv and ata_ratio.csv, read as in
/// calbusbw.cc (getValue). Numbers of nodes without a column have that of 16.
#pragma once

#include <cstdint>

namespace heddle {

enum class SimaiRatioTable : std::uint8_t { kNic, kNvlink, kAllToAll };

/// Size of a table's first row and of its last [byte].
constexpr std::uint64_t kSimaiFirstRatioSize = std::uint64_t{1} << 24;
constexpr std::uint64_t kSimaiLastRatioSize = std::uint64_t{1} << 34;

/// Returns the column of a number of nodes: 1 to 9.
int SimaiRatioColumn(int nodes);

/// Returns the table's cell, of a row 0 to 10 (2^24 bytes times 2^row) and a column 1 to 9.
double SimaiRatioCell(SimaiRatioTable table, int row, int column);

/// Returns the value at `bytes` over that of the last row; linear between rows. At most
/// kSimaiLastRatioSize.
float SimaiSizeRatio(SimaiRatioTable table, std::uint64_t bytes, int nodes);

}  // namespace heddle
