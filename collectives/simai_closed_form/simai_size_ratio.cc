// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/simai_closed_form/simai_size_ratio.h"

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr int kRows = 11;
constexpr int kColumns = 9;
using Cells = double[kRows][kColumns];

// Columns: 1, 2, 4, 8, 16, 32, 64 and 128 nodes; "Multi 16". A cell that is empty in a file counts
// as 1, and so does its column.
constexpr Cells kNic = {
    {0.45, 0.32, 0.24, 0.13, 0.05, 0.044, 0.021, 0.0087, 0.86},
    {0.55, 0.47, 0.38, 0.24, 0.11, 0.052, 0.042, 0.021225, 0.92},
    {0.65, 0.5, 0.53, 0.39, 0.21, 0.106, 0.051, 0.04405, 0.94},
    {0.69, 0.67, 0.67, 0.54, 0.38, 0.205, 0.107, 0.0533, 0.94},
    {0.73, 0.85, 0.77, 0.69, 0.57, 0.387, 0.209, 0.1027, 0.94},
    {0.76, 0.89, 0.85, 0.78, 0.73, 0.562, 0.384, 0.1902, 0.95},
    {0.77, 0.92, 0.93, 0.9, 0.76, 0.74, 0.563, 0.314575, 0.96},
    {0.78, 0.94, 0.94, 0.94, 0.92, 0.758, 0.745, 0.553525, 0.96},
    {0.79, 0.95, 0.95, 0.95, 0.95, 0.923, 0.755, 0.740175, 0.96},
    {0.8, 0.95, 0.96, 0.96, 0.96, 0.953, 0.914, 0.7648, 0.96},
    {0.81, 0.96, 0.96, 0.96, 0.96, 0.957, 0.958, 0.919175, 0.96},
};
constexpr Cells kNvlink = {
    {0.45, 0.55, 0.34, 0.16, 0.08, 1, 1, 1, 0.86}, {0.55, 0.68, 0.6, 0.34, 0.16, 1, 1, 1, 0.92},
    {0.65, 0.74, 0.71, 0.62, 0.33, 1, 1, 1, 0.94}, {0.69, 0.8, 0.74, 0.7, 0.65, 1, 1, 1, 0.94},
    {0.73, 0.84, 0.79, 0.78, 0.72, 1, 1, 1, 0.94}, {0.76, 0.86, 0.86, 0.82, 0.75, 1, 1, 1, 0.95},
    {0.77, 0.87, 0.87, 0.86, 0.83, 1, 1, 1, 0.96}, {0.78, 0.87, 0.87, 0.87, 0.86, 1, 1, 1, 0.96},
    {0.79, 0.88, 0.88, 0.88, 0.87, 1, 1, 1, 0.96}, {0.8, 0.88, 0.88, 0.88, 0.88, 1, 1, 1, 0.96},
    {0.81, 0.88, 0.88, 0.88, 0.88, 1, 1, 1, 0.96},
};
constexpr Cells kAllToAll = {
    {0.44, 0.52, 0.67, 0.64, 0.62, 1, 1, 1, 0.86}, {0.51, 0.63, 0.68, 0.67, 0.66, 1, 1, 1, 0.92},
    {0.6, 0.72, 0.83, 0.82, 0.66, 1, 1, 1, 0.94},  {0.65, 0.76, 0.9, 0.85, 0.72, 1, 1, 1, 0.94},
    {0.7, 0.79, 0.92, 0.87, 0.75, 1, 1, 1, 0.94},  {0.71, 0.8, 0.94, 0.89, 0.81, 1, 1, 1, 0.95},
    {0.74, 0.81, 0.94, 0.92, 0.85, 1, 1, 1, 0.96}, {0.76, 0.81, 0.95, 0.93, 0.88, 1, 1, 1, 0.96},
    {0.77, 0.8, 0.95, 0.94, 0.89, 1, 1, 1, 0.96},  {0.78, 0.8, 0.95, 0.94, 0.9, 1, 1, 1, 0.96},
    {0.78, 0.8, 0.95, 0.94, 0.9, 1, 1, 1, 0.96},
};

const Cells& CellsOf(SimaiRatioTable table) {
  switch (table) {
    case SimaiRatioTable::kNic:
      return kNic;
    case SimaiRatioTable::kNvlink:
      return kNvlink;
    case SimaiRatioTable::kAllToAll:
      return kAllToAll;
  }
  return kNic;
}

/// A table's value at a size.
double ValueAt(SimaiRatioTable table, std::uint64_t bytes, int column) {
  if (bytes <= kSimaiFirstRatioSize) return SimaiRatioCell(table, 0, column);
  int row = 0;
  while (kSimaiFirstRatioSize << (row + 1) < bytes) ++row;
  const auto below = static_cast<double>(kSimaiFirstRatioSize << row);
  const auto above = static_cast<double>(kSimaiFirstRatioSize << (row + 1));
  const double low = SimaiRatioCell(table, row, column);
  const double high = SimaiRatioCell(table, row + 1, column);
  return low + (high - low) * (static_cast<double>(bytes) - below) / (above - below);
}

}  // namespace

int SimaiRatioColumn(int nodes) {
  if (nodes == 9) return 9;
  for (int column = 1; column <= 8; ++column) {
    if (nodes == 1 << (column - 1)) return column;
  }
  return 5;
}

double SimaiRatioCell(SimaiRatioTable table, int row, int column) {
  HEDDLE_EXPECT(row >= 0 && row < kRows && column >= 1 && column <= kColumns);
  return CellsOf(table)[row][column - 1];
}

float SimaiSizeRatio(SimaiRatioTable table, std::uint64_t bytes, int nodes) {
  HEDDLE_EXPECT(bytes <= kSimaiLastRatioSize);
  if (bytes == 0) return 1;
  const int column = SimaiRatioColumn(nodes);
  return static_cast<float>(ValueAt(table, bytes, column) /
                            SimaiRatioCell(table, kRows - 1, column));
}

}  // namespace heddle
