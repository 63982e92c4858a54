// SPDX-License-Identifier: GPL-2.0-only
/// Rows of tables: the order that no rank count changes, and copies of chosen rows.
#ifndef HEDDLE_IO_TABLE_ROWS_H_
#define HEDDLE_IO_TABLE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/table.h"

namespace heddle {

/// Number of rows of a table. Throws InvariantError if its columns differ in length.
std::size_t CheckedRows(const Table& table);

/// Throws InvariantError unless both have columns of the same names, units and types in the same
/// order.
void CheckSameColumns(const Table& expected, const Table& found);

/// The columns of `table` without values.
Table WithoutRows(const Table& table);

/// Puts the given rows of `from` behind the rows of `to`, which has the same columns.
void CopyRows(const Table& from, const std::vector<std::size_t>& rows, Table* to);

/// The order of a table's rows: by key columns; rows of equal keys by all columns, so that only
/// rows equal in everything are in no order. Requires that the table outlives it unchanged.
class RowOrder final {
 public:
  /// Throws InvariantError if a key is no column of integers.
  RowOrder(const Table& table, const std::vector<std::string>& keys);

  /// Negative, zero or positive: whether `row` comes before `other_row` of a table of the same
  /// columns.
  int Compare(std::size_t row, const RowOrder& other, std::size_t other_row) const;
  /// All rows, in order.
  std::vector<std::size_t> Sorted() const;

 private:
  const Table* table_;
  std::vector<std::vector<std::int64_t>> keys_;  ///< a vector a key column
};

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_ROWS_H_
