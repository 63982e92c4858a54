// SPDX-License-Identifier: GPL-2.0-only
/// A column of a table by name and type.
#ifndef HEDDLE_IO_TABLE_COLUMN_H_
#define HEDDLE_IO_TABLE_COLUMN_H_

#include <string>
#include <variant>
#include <vector>

#include "core/check.h"
#include "core/table.h"

namespace heddle {

/// Throws UserError if the table has no such column or its values are of another type.
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

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_COLUMN_H_
