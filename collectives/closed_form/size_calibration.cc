// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/closed_form/size_calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace heddle {
namespace {

constexpr int kLastRow = 10;

/// The last column that the table has measured: 128 servers, or 16.
int LastColumn(SimaiRatioTable table) { return table == SimaiRatioTable::kNic ? 8 : 5; }

/// A number's place between two neighbours: the lower one, and the share of the upper.
struct Place {
  int lower;
  double share;
};
Place PlaceOf(double position, int first, int last) {
  const double inside = std::clamp(position, static_cast<double>(first), static_cast<double>(last));
  const int lower = std::min(static_cast<int>(inside), last - 1);
  return {lower, inside - lower};
}

/// The value of a row, over that of the last row.
double PartInRow(SimaiRatioTable table, int row, const Place& column) {
  const auto value = [&](int at_row) {
    return SimaiRatioCell(table, at_row, column.lower) * (1 - column.share) +
           SimaiRatioCell(table, at_row, column.lower + 1) * column.share;
  };
  return value(row) / value(kLastRow);
}

constexpr double kLeastTimes[] = {10e-6, 12e-6, 15e-6, 66e-6, 135e-6, 200e-6, 320e-6};  // 2 to 128

}  // namespace

double CalibratedPart(SimaiRatioTable table, double bytes, double servers) {
  const Place column = PlaceOf(std::log2(servers) + 1, 1, LastColumn(table));
  const Place row =
      PlaceOf(std::log2(bytes / static_cast<double>(kSimaiFirstRatioSize)), 0, kLastRow);
  return std::min(1.0, PartInRow(table, row.lower, column) * (1 - row.share) +
                           PartInRow(table, row.lower + 1, column) * row.share);
}

double CalibratedLeastTime(std::uint32_t ranks) {
  const Place place = PlaceOf(std::log2(static_cast<double>(ranks)) - 1, 0,
                              static_cast<int>(std::size(kLeastTimes)) - 1);
  return kLeastTimes[place.lower] * (1 - place.share) + kLeastTimes[place.lower + 1] * place.share;
}

}  // namespace heddle
