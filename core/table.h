// SPDX-License-Identifier: GPL-2.0-only
/// A result table as plain columns, each with unit and description: what models hand to `io`, which
/// knows no model.
#ifndef HEDDLE_CORE_TABLE_H_
#define HEDDLE_CORE_TABLE_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

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

/// Equally long columns under one name. Becomes an HDF5 group of one-dimensional datasets.
struct Table {
  std::string name;  ///< "flows"
  std::string description;
  std::vector<Column> columns;
};

/// A name and a text that describe the run: become attributes of the result's root.
struct Attribute {
  std::string name;
  std::variant<std::string, std::int64_t, double> value;
};

/// The values of the column of this name. Requires that it exists with this type.
template <class T>
const std::vector<T>& ValuesOf(const Table& table, const std::string& name) {
  for (const Column& column : table.columns) {
    if (column.name == name) return std::get<std::vector<T>>(column.data);
  }
  throw std::out_of_range("table " + table.name + " has no column " + name);
}

/// 64-bit xxHash of all columns of a table (names, types and values), in order: equal digests mean
/// equal tables.
std::uint64_t Digest(const Table& table);

}  // namespace heddle

#endif  // HEDDLE_CORE_TABLE_H_
