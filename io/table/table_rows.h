// SPDX-License-Identifier: GPL-2.0-only
/// Rows of tables: the order that no rank count changes, and copies of chosen rows.
#ifndef HEDDLE_IO_TABLE_TABLE_ROWS_H_
#define HEDDLE_IO_TABLE_TABLE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Number of values of a column.
std::size_t RowCount(const Column& column);

/// Number of rows of a table. Throws InvariantError if its columns differ in length.
std::size_t CheckedRows(const Table& table);

/// Throws InvariantError unless both have columns of the same names, units and types in the same
/// order.
void CheckSameColumns(const Table& expected, const Table& found);

/// The columns of `table` without values.
Table WithoutRows(const Table& table);

/// Puts the given rows of `from` behind the rows of `to`, which has the same columns.
void CopyRows(const Table& from, const std::vector<std::size_t>& rows, Table* to);
/// Puts `count` rows of `from`, from row `first` on, behind the rows of `to`.
void AppendRows(const Table& from, std::size_t first, std::size_t count, Table* to);

/// Throws InvariantError unless each key is a column of integers.
void CheckKeys(const Table& table, const std::vector<std::string>& keys);

/// The order of a table's rows: by key columns; rows of equal keys by all columns, so that only
/// rows equal in everything are in no order. Requires that the table outlives it unchanged.
///
/// The keys of a row are packed into a few 64-bit words that compare as the keys do, which decides
/// nearly always.
class RowOrder final {
 public:
  /// Throws InvariantError if a key is no column of integers.
  RowOrder(const Table& table, const std::vector<std::string>& keys);

  /// Negative, zero or positive: whether `row` comes before `other_row` of a table of the same
  /// columns and keys.
  int Compare(std::size_t row, const RowOrder& other, std::size_t other_row) const {
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t mine = packed_[row * words_ + i];
      const std::uint64_t theirs = other.packed_[other_row * words_ + i];
      if (mine != theirs) return mine < theirs ? -1 : 1;
    }
    return CompareColumns(row, other, other_row);
  }
  /// The first word of the row's keys: where it differs, it decides.
  std::uint64_t first_word(std::size_t row) const {
    return words_ == 0 ? 0 : packed_[row * words_];
  }
  /// All rows, in order.
  std::vector<std::size_t> Sorted() const;

 private:
  int CompareColumns(std::size_t row, const RowOrder& other, std::size_t other_row) const;

  const Table* table_;
  std::size_t words_ = 0;              ///< a row
  std::vector<std::uint64_t> packed_;  ///< of all rows, one after another
};

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_TABLE_ROWS_H_
