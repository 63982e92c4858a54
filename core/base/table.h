// SPDX-License-Identifier: GPL-2.0-only
/// A result table as plain columns, each with unit and description. Models pass tables to `io`,
/// which does not depend on models.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// Values of one column; the type is also the type in the file.
using ColumnData =
    std::variant<std::vector<std::int64_t>, std::vector<std::uint32_t>, std::vector<std::uint16_t>,
                 std::vector<std::uint8_t>, std::vector<double>, std::vector<std::string>>;

struct Column {
  std::string name;         ///< "fct_ps"
  std::string unit;         ///< "ps", "byte", "1" for numbers without a unit
  std::string description;  ///< one sentence
  ColumnData data;
};

/// Columns of equal length under one name. Becomes an HDF5 group of one-dimensional datasets.
struct Table {
  std::string name;  ///< "flows"
  std::string description;
  std::vector<Column> columns;
};

/// A name and a value that describe the run; becomes an attribute of the result's root.
struct Attribute {
  std::string name;
  std::variant<std::string, std::int64_t, double> value;
};

/// Returns the values of the column of this name. Throws UserError if the table has no such column
/// or its values are of another type.
template <class T>
const std::vector<T>& GetColumn(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name != name) continue;
    if (const auto* values = std::get_if<std::vector<T>>(&column.data)) return *values;
    throw UserError("table " + table.name + ": column " + name +
                    " has another type. Expected: the type that docs/formats/result.md gives");
  }
  throw UserError("table " + table.name + ": no column " + name +
                  ". Expected: the columns that docs/formats/result.md gives");
}

/// Returns the 64-bit xxHash of all columns of a table (names, types and values), in order: equal
/// digests mean equal tables.
std::uint64_t Digest(const Table& table);

}  // namespace heddle
