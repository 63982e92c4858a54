// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

using Row = std::vector<double>;

/// Weights of the small terms, beside 1 for an error of 100 %.
constexpr double kAlike = 1e-3, kNearClosedForm = 1e-5;

/// A sum of squares (row . x - value)^2 as its normal equations.
struct LeastSquares {
  std::vector<Row> matrix;
  Row right;

  explicit LeastSquares(std::size_t unknowns) : matrix(unknowns, Row(unknowns)), right(unknowns) {}
  void Add(const Row& row, double value, double weight) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < row.size(); ++j) matrix[i][j] += weight * row[i] * row[j];
      right[i] += weight * row[i] * value;
    }
  }
};

/// Solves the equations of the free unknowns, the others being as in `x`. The matrix is positive
/// definite, so that no pivots are needed.
void SolveFree(const LeastSquares& least, const std::vector<bool>& fixed, Row* x) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i]) free.push_back(i);
  }
  std::vector<Row> a(free.size(), Row(free.size() + 1));
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (std::size_t j = 0; j < free.size(); ++j) a[i][j] = least.matrix[free[i]][free[j]];
    a[i].back() = least.right[free[i]];
    for (std::size_t j = 0; j < fixed.size(); ++j) {
      if (fixed[j]) a[i].back() -= least.matrix[free[i]][j] * (*x)[j];
    }
  }
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (std::size_t k = i + 1; k < free.size(); ++k) {
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j < a[k].size(); ++j) a[k][j] -= factor * a[i][j];
    }
  }
  for (std::size_t i = free.size(); i-- > 0;) {
    double value = a[i].back();
    for (std::size_t j = i + 1; j < free.size(); ++j) value -= a[i][j] * (*x)[free[j]];
    (*x)[free[i]] = value / a[i][i];
  }
}

struct Bounds {
  double least, most;
};

/// The unknown that is farthest beyond its bounds, in shares of its range; none: `x.size()`.
std::size_t FarthestBeyond(const Row& x, const std::vector<Bounds>& bounds) {
  std::size_t worst = x.size();
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double beyond = std::max(bounds[i].least - x[i], x[i] - bounds[i].most) /
                          (bounds[i].most - bounds[i].least);
    if (beyond <= most) continue;
    most = beyond;
    worst = i;
  }
  return worst;
}

Row SolveWithin(const LeastSquares& least, const std::vector<Bounds>& bounds) {
  Row x(bounds.size());
  std::vector<bool> fixed(bounds.size(), false);
  for (;;) {
    SolveFree(least, fixed, &x);
    const std::size_t worst = FarthestBeyond(x, bounds);
    if (worst == x.size()) return x;
    x[worst] = std::clamp(x[worst], bounds[worst].least, bounds[worst].most);
    fixed[worst] = true;
  }
}

/// The sizes at which there is an efficiency: the largest, each time a quarter of it, the smallest.
std::vector<std::int64_t> SizesOf(const std::vector<MeasuredPoint>& points) {
  constexpr std::int64_t kStep = 4;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const MeasuredPoint& a, const MeasuredPoint& b) { return a.bytes < b.bytes; });
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = most->bytes; size > least->bytes; size /= kStep) sizes.push_back(size);
  sizes.push_back(least->bytes);
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

/// Shares of the sizes' values in that of `bytes`, which lies between the first and the last.
Row SharesOf(std::int64_t bytes, const std::vector<std::int64_t>& sizes) {
  Row shares(sizes.size());
  const auto above = std::lower_bound(sizes.begin(), sizes.end(), bytes);
  const auto at = static_cast<std::size_t>(above - sizes.begin());
  if (*above == bytes) {
    shares[at] = 1;
    return shares;
  }
  const auto log = [](std::int64_t size) { return std::log2(static_cast<double>(size)); };
  const double share = (log(bytes) - log(sizes[at - 1])) / (log(*above) - log(sizes[at - 1]));
  shares[at] = share;
  shares[at - 1] = 1 - share;
  return shares;
}

/// What the closed form has beside the ports' time, at least a little of its time [s].
double LatencyOf(const MeasuredPoint& point) {
  constexpr double kLittle = 1e-3;
  return std::max(point.closed_form - point.ports, kLittle * point.closed_form);
}

struct Totals {
  double shortest = 0;  ///< measured time [s]
  double mean_weight = 0;
  /// Of the small terms, at most 1. Where times are many times the closed form's, so are the
  /// unknowns, and terms that are shares of the closed form's would no longer be small.
  double small = 1;
};

Totals TotalsOf(const std::vector<MeasuredPoint>& points) {
  Totals totals{points[0].seconds, 0, 1};
  for (const MeasuredPoint& point : points) {
    HEDDLE_EXPECT(point.seconds > 0 && point.ports > 0 && point.weight > 0);
    totals.shortest = std::min(totals.shortest, point.seconds);
    totals.mean_weight += point.weight / static_cast<double>(points.size());
    const double share = point.closed_form / point.seconds;
    totals.small = std::min(totals.small, share * share);
  }
  return totals;
}

}  // namespace

std::vector<CalibrationRow> FitCalibration(const CalibratedKind& kind,
                                           const std::vector<MeasuredPoint>& points) {
  HEDDLE_EXPECT(!points.empty());
  const std::vector<std::int64_t> sizes = SizesOf(points);
  const Totals totals = TotalsOf(points);
  LeastSquares least(1 + sizes.size());  // the first: latency over the shortest time
  for (const MeasuredPoint& point : points) {
    Row row = {totals.shortest / point.seconds};
    for (const double share : SharesOf(point.bytes, sizes))
      row.push_back(share * point.ports / point.seconds);
    least.Add(row, 1, point.weight / totals.mean_weight);
    Row latency(row.size());
    latency[0] = totals.shortest / LatencyOf(point);
    least.Add(latency, 1, totals.small * kNearClosedForm);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Row row(1 + sizes.size());
    row[1 + i] = 1;
    least.Add(row, 1, totals.small * kNearClosedForm);
    if (i == 0) continue;
    row[i] = -1;
    least.Add(row, 0, totals.small * kAlike);
  }
  std::vector<Bounds> bounds(1 + sizes.size(), {1 / kMostEfficiency, 1 / kLeastEfficiency});
  bounds[0] = {0, 1};
  const Row x = SolveWithin(least, bounds);
  std::vector<CalibrationRow> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    rows.push_back({kind, x[0] * totals.shortest, sizes[i], 1 / x[1 + i]});
  return rows;
}

}  // namespace heddle
