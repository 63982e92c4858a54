// SPDX-License-Identifier: GPL-2.0-only
/// The differences of one column between two results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/compare/row_matcher.h"

namespace heddle {

/// A row whose values differ.
struct RowExample {
  std::string row;   ///< its name
  std::string a, b;  ///< the values
  double relative = 0;
};

struct ColumnDifference {
  std::string name, unit;
  bool text = false;       ///< whether the column is text, without figures
  std::uint64_t rows = 0;  ///< number of rows that differ
  RowExample first;
  double largest_absolute = 0;    ///< in the column's unit
  double largest_relative = 0;    ///< relative to the larger value
  double mean_a = 0, mean_b = 0;  ///< over all common rows
  std::vector<RowExample> worst;  ///< by `relative`, the largest first
};

/// Receives pairs of rows block by block.
class ColumnComparison final {
 public:
  /// `tolerance`: relative difference up to which numbers count as equal; `worst`: number of rows
  /// to keep.
  ColumnComparison(const Column& header, double tolerance, std::size_t worst);

  /// `column`: the column's number in the tables.
  void Add(const MatchedRows& matched, std::size_t column, const RowMatcher& matcher);
  /// Returns the differences so far, with means over all pairs that were added.
  ColumnDifference Result() const;

 private:
  /// Compares the values of each pair; differences within the tolerance count as equal, and so do
  /// two NaN.
  template <class Value>
  void AddValues(const std::vector<Value>& a, const std::vector<Value>& b,
                 const MatchedRows& matched, const RowMatcher& matcher);
  void Remember(RowExample example);  ///< keeps the `worst_` largest

  ColumnDifference difference_;
  double tolerance_;
  std::size_t worst_;
  std::uint64_t compared_ = 0;
  double sum_a_ = 0, sum_b_ = 0;
};

}  // namespace heddle
