// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/column_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string ValueText(const std::string& value) { return '\'' + Printable(value, 40) + '\''; }
template <class Number>
std::string ValueText(Number value) {
  return fmt::format("{}", value);
}

/// Difference over the larger of the two values; 1 if only one of them is a number, because -1
/// means "never" in many columns.
double Relative(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b) || (a < 0) != (b < 0)) return 1;
  const double larger = std::max(std::abs(a), std::abs(b));
  return larger == 0 ? 0 : std::abs(a - b) / larger;
}

}  // namespace

ColumnComparison::ColumnComparison(const Column& header, double tolerance, std::size_t worst)
    : worst_(worst) {
  difference_.name = header.name;
  difference_.unit = header.unit;
  difference_.text = std::holds_alternative<std::vector<std::string>>(header.data);
  const bool tolerant =
      std::holds_alternative<std::vector<double>>(header.data) || header.unit == "ps";
  tolerance_ = tolerant ? tolerance : 0;
}

void ColumnComparison::Add(const MatchedRows& matched, std::size_t column,
                           const RowMatcher& matcher) {
  std::visit(
      [&](const auto& a) {
        const auto& b = std::get<std::decay_t<decltype(a)>>(matched.b->columns[column].data);
        AddValues(a, b, matched, matcher);
      },
      matched.a->columns[column].data);
  compared_ += matched.rows_a.size();
}

template <class Value>
void ColumnComparison::AddValues(const std::vector<Value>& a, const std::vector<Value>& b,
                                 const MatchedRows& matched, const RowMatcher& matcher) {
  constexpr bool kNumber = !std::is_same_v<Value, std::string>;
  for (std::size_t i = 0; i < matched.rows_a.size(); ++i) {
    const Value& x = a[matched.rows_a[i]];
    const Value& y = b[matched.rows_b[i]];
    double absolute = 0, relative = 1;
    if constexpr (kNumber) {
      sum_a_ += static_cast<double>(x);
      sum_b_ += static_cast<double>(y);
    }
    if (x == y || (x != x && y != y)) continue;  // two NaN are equal
    if constexpr (kNumber) {
      absolute = std::abs(static_cast<double>(x) - static_cast<double>(y));
      relative = Relative(static_cast<double>(x), static_cast<double>(y));
      if (relative <= tolerance_) continue;
    }
    difference_.largest_absolute = std::max(difference_.largest_absolute, absolute);
    difference_.largest_relative = std::max(difference_.largest_relative, relative);
    const bool first = difference_.rows++ == 0;
    const bool among_worst = difference_.worst.size() < worst_ ||
                             (worst_ > 0 && relative > difference_.worst.back().relative);
    if (!first && !among_worst) continue;
    RowExample example{matcher.Name(*matched.a, matched.rows_a[i], matched.first_a), ValueText(x),
                       ValueText(y), relative};
    if (first) difference_.first = example;
    if (among_worst) Remember(std::move(example));
  }
}

void ColumnComparison::Remember(RowExample example) {
  std::vector<RowExample>& worst = difference_.worst;
  const auto at = std::upper_bound(
      worst.begin(), worst.end(), example,
      [](const RowExample& x, const RowExample& y) { return x.relative > y.relative; });
  worst.insert(at, std::move(example));
  if (worst.size() > worst_) worst.pop_back();
}

ColumnDifference ColumnComparison::Result() const {
  ColumnDifference result = difference_;
  if (compared_ > 0) {
    result.mean_a = sum_a_ / static_cast<double>(compared_);
    result.mean_b = sum_b_ / static_cast<double>(compared_);
  }
  return result;
}

}  // namespace heddle
