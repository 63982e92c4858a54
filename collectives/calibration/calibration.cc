// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/calibration/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// Logarithms of a size and of its factor.
struct Point {
  double bytes = 0, factor = 0;
};

/// `points` by size, of equal sizes their mean; at least one.
double ValueAt(const std::vector<Point>& points, double bytes) {
  std::vector<Point> means;
  double number = 0;
  for (const Point& point : points) {
    if (means.empty() || means.back().bytes != point.bytes) {
      means.push_back(point);
      number = 1;
    } else {
      means.back().factor += (point.factor - means.back().factor) / ++number;
    }
  }
  const auto above = std::find_if(means.begin(), means.end(),
                                  [bytes](const Point& point) { return point.bytes >= bytes; });
  if (above == means.end()) return means.back().factor;
  if (above == means.begin()) return above->factor;
  const Point& below = *(above - 1);
  return Between(below.factor, above->factor, (bytes - below.bytes) / (above->bytes - below.bytes));
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
  const double at = std::log2(std::max(bytes, 1.0));
  std::vector<Point> all, same;
  for (std::size_t i = group.first; i < group.last; ++i) {
    const CalibrationRow& row = rows_[i];
    all.push_back(
        {std::log2(static_cast<double>(row.bytes)), std::log(row.seconds / closed_form(row))});
    if (IsSameWay(row.kind, kind)) same.push_back(all.back());
  }
  const bool between = !same.empty() && same.front().bytes <= at && at <= same.back().bytes;
  return ValueAt(between ? same : all, at);
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
