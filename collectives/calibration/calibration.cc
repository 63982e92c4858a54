// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

auto GroupOf(const CalibratedKind& kind) {
  return std::tie(kind.operation, kind.ranks, kind.servers);
}

bool AreAlike(const CalibratedKind& a, const CalibratedKind& b) {
  return a.operation == b.operation && (a.servers == 1) == (b.servers == 1);
}

bool IsSameWay(const CalibratedKind& a, const CalibratedKind& b) {
  return a.algorithm == b.algorithm && a.protocol == b.protocol;
}

/// How far apart two numbers are in their ratio.
double Apart(std::uint32_t a, std::uint32_t b) {
  return std::abs(std::log2(static_cast<double>(a)) - std::log2(static_cast<double>(b)));
}

double Between(double low, double high, double share) { return low + (high - low) * share; }

/// What sizes have in common of what they deviate from the mean. `doublings`: between them.
double Covariance(double doublings, bool same_way) {
  constexpr double kReach = 16, kOtherWay = 0.25;
  return std::exp(-std::abs(doublings) / kReach) * (same_way ? 1 : kOtherWay);
}

/// A symmetric matrix of positive eigenvalues, by rows, as the product of a triangular one with its
/// transpose (Cholesky): in place, below and on the diagonal.
void Factorize(std::vector<double>* matrix, std::size_t n) {
  std::vector<double>& m = *matrix;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= m[i * n + k] * m[j * n + k];
      m[i * n + j] = i == j ? std::sqrt(sum) : sum / m[j * n + j];
    }
  }
}

/// Returns the solution of the factorized matrix for this right side.
std::vector<double> Solve(const std::vector<double>& m, std::vector<double> side) {
  const std::size_t n = side.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) side[i] -= m[i * n + k] * side[k];
    side[i] /= m[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) side[i] -= m[k * n + i] * side[k];
    side[i] /= m[i * n + i];
  }
  return side;
}

}  // namespace

Calibration::Calibration(std::vector<CalibrationRow> rows) : rows_(std::move(rows)) {
  std::sort(rows_.begin(), rows_.end(), [](const CalibrationRow& a, const CalibrationRow& b) {
    const auto way = [](const CalibrationRow& row) {
      return std::tie(row.bytes, row.kind.algorithm, row.kind.protocol);
    };
    if (GroupOf(a.kind) != GroupOf(b.kind)) return GroupOf(a.kind) < GroupOf(b.kind);
    return way(a) < way(b);
  });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const CalibrationRow& row = rows_[i];
    HEDDLE_EXPECT(row.bytes > 0 && row.seconds > 0 && row.closed_form > 0 && row.kind.ranks > 0);
    if (i == 0 || GroupOf(rows_[i - 1].kind) != GroupOf(row.kind)) groups_.push_back({i, i});
    groups_.back().last = i + 1;
  }
}

double Calibration::LogFactorIn(const Group& group, const CalibratedKind& kind, double bytes,
                                const ClosedForm& closed_form) const {
  const std::size_t n = group.last - group.first;
  const auto size_of = [](double of) { return std::log2(std::max(of, 1.0)); };
  const auto row_at = [&](std::size_t i) -> const CalibrationRow& {
    return rows_[group.first + i];
  };
  std::vector<double> sizes, factors, covariances(n * n), here;
  for (std::size_t i = 0; i < n; ++i) {
    const CalibrationRow& row = row_at(i);
    sizes.push_back(size_of(static_cast<double>(row.bytes)));
    factors.push_back(std::log(row.seconds / closed_form(row)));
    here.push_back(Covariance(size_of(bytes) - sizes[i], IsSameWay(row.kind, kind)));
    for (std::size_t k = 0; k <= i; ++k)
      covariances[i * n + k] = Covariance(sizes[i] - sizes[k], IsSameWay(row.kind, row_at(k).kind));
  }
  Factorize(&covariances, n);
  const std::vector<double> ones = Solve(covariances, std::vector<double>(n, 1));
  const double mean = std::inner_product(ones.begin(), ones.end(), factors.begin(), 0.0) /
                      std::accumulate(ones.begin(), ones.end(), 0.0);
  for (double& factor : factors) factor -= mean;
  const std::vector<double> weights = Solve(covariances, factors);
  return mean + std::inner_product(here.begin(), here.end(), weights.begin(), 0.0);
}

std::optional<double> Calibration::Factor(const CalibratedKind& kind, double bytes,
                                          const ClosedForm& closed_form) const {
  // The known groups with the next smaller and the next larger number of ranks.
  const Group *fewer = nullptr, *more = nullptr;
  const auto is_nearer = [&](const Group& a, const Group& b) {
    return Apart(KindOf(a).servers, kind.servers) < Apart(KindOf(b).servers, kind.servers);
  };
  for (const Group& known : groups_) {
    if (!AreAlike(KindOf(known), kind)) continue;
    const std::uint32_t ranks = KindOf(known).ranks;
    if (ranks <= kind.ranks && (fewer == nullptr || ranks > KindOf(*fewer).ranks ||
                                (ranks == KindOf(*fewer).ranks && is_nearer(known, *fewer))))
      fewer = &known;
    if (ranks >= kind.ranks && (more == nullptr || ranks < KindOf(*more).ranks ||
                                (ranks == KindOf(*more).ranks && is_nearer(known, *more))))
      more = &known;
  }
  if (fewer == nullptr) fewer = more;
  if (more == nullptr) more = fewer;
  if (fewer == nullptr) return std::nullopt;
  const double apart = Apart(KindOf(*fewer).ranks, KindOf(*more).ranks);
  const double share = apart > 0 ? Apart(KindOf(*fewer).ranks, kind.ranks) / apart : 0;
  const double low = LogFactorIn(*fewer, kind, bytes, closed_form);
  if (share <= 0) return std::exp(low);
  return std::exp(Between(low, LogFactorIn(*more, kind, bytes, closed_form), share));
}

bool Calibration::Has(const CalibratedKind& kind) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const CalibrationRow& row) {
    return AreAlike(row.kind, kind) && IsSameWay(row.kind, kind);
  });
}

std::string Calibration::Describe() const {
  std::string text;
  const CalibratedKind* last = nullptr;
  for (const Group& group : groups_) {
    const CalibratedKind& kind = KindOf(group);
    if (last != nullptr && last->operation == kind.operation) {
      if (last->ranks != kind.ranks) text += fmt::format(", {}", kind.ranks);
    } else {
      text += fmt::format("{}{} ({}", last == nullptr ? "" : " ranks), ", ToText(kind.operation),
                          kind.ranks);
    }
    last = &kind;
  }
  return text + " ranks)";
}

}  // namespace heddle
