// SPDX-License-Identifier: GPL-2.0-only
/// Makes a column of a table, or a whole table, from records.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// Makes a column with one value for each of `rows`: get(row), as a Value.
template <class Value, class Rows, class Get>
Column MakeColumn(const char* name, const char* unit, const char* description, const Rows& rows,
                  Get get) {
  std::vector<Value> values(rows.size());
  std::size_t at = 0;
  for (const auto& row : rows) values[at++] = static_cast<Value>(get(row));
  return {name, unit, description, std::move(values)};
}

/// Builds a table from records, column by column.
template <class Row>
class RecordTable {
 public:
  /// Owns `rows`, of which every column has a value each.
  RecordTable(const char* name, const char* description, std::vector<Row> rows)
      : rows_(std::move(rows)), table_{name, description, {}} {}

  /// Adds a column of all records; `get` maps a record to the column's value.
  template <class Value, class Get>
  void Add(const char* name, const char* unit, const char* description, Get get) {
    table_.columns.push_back(MakeColumn<Value>(name, unit, description, rows_, get));
  }

  /// Moves the table out. Call it once, after all Add().
  Table Take() { return std::move(table_); }

 private:
  std::vector<Row> rows_;
  Table table_;
};

}  // namespace heddle
