// SPDX-License-Identifier: GPL-2.0-only
/// Rows of tables: an order that is independent of the number of ranks, and copies of chosen rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Returns the number of values of a column.
std::size_t RowCount(const Column& column);

/// Returns the number of rows of a table. Throws InvariantError if its columns differ in length.
std::size_t CheckedRows(const Table& table);

/// Returns for each column the bytes of its longest text; 0 for numbers.
std::vector<std::size_t> LongestTexts(const Table& table);

/// Throws InvariantError unless both have columns of the same names, units and types in the same
/// order.
void CheckSameColumns(const Table& expected, const Table& found);

/// Returns the columns of `table` without values.
Table WithoutRows(const Table& table);

/// Appends the given rows of `from` to `to`, which has the same columns.
void CopyRows(const Table& from, const std::vector<std::size_t>& rows, Table* to);
/// Appends `count` rows of `from`, from row `first` on, to `to`.
void AppendRows(const Table& from, std::size_t first, std::size_t count, Table* to);

/// Throws InvariantError unless each key is a column of integers.
void CheckKeys(const Table& table, const std::vector<std::string>& keys);

/// The order of a table's rows: by key columns, then by all columns, so that only identical rows
/// are unordered. Requires that the table outlives it unchanged.
///
/// The keys of a row are packed into a few 64-bit words that compare as the keys do, so the first
/// word nearly always decides.
class RowOrder final {
 public:
  /// Throws InvariantError if a key is no integer column.
  RowOrder(const Table& table, const std::vector<std::string>& keys);

  /// Negative, zero or positive: the order of `row` and `other_row` of a table with the same
  /// columns and keys.
  int Compare(std::size_t row, const RowOrder& other, std::size_t other_row) const {
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t mine = packed_[row * words_ + i];
      const std::uint64_t theirs = other.packed_[other_row * words_ + i];
      if (mine != theirs) return mine < theirs ? -1 : 1;
    }
    return CompareColumns(row, other, other_row);
  }
  /// Returns the first word of the row's keys: rows whose first words differ are ordered by them.
  std::uint64_t first_word(std::size_t row) const {
    return words_ == 0 ? 0 : packed_[row * words_];
  }
  /// Whether the rows are in order as they are.
  bool IsSorted() const;
  /// Returns all rows, sorted.
  std::vector<std::size_t> Sorted() const;

 private:
  /// Compares all columns in their order, for rows with equal keys; 0: the rows are identical.
  int CompareColumns(std::size_t row, const RowOrder& other, std::size_t other_row) const;

  const Table* table_;
  std::size_t words_ = 0;              ///< number of words for each row
  std::vector<std::uint64_t> packed_;  ///< words of all rows, consecutively
};

}  // namespace heddle
