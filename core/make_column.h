// SPDX-License-Identifier: GPL-2.0-only
/// A column of a table from records.
#ifndef HEDDLE_CORE_MAKE_COLUMN_H_
#define HEDDLE_CORE_MAKE_COLUMN_H_

#include <utility>
#include <vector>

#include "core/table.h"

namespace heddle {

template <class Value, class Rows, class Get>
Column MakeColumn(const char* name, const char* unit, const char* description, const Rows& rows, Get get) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<Value>(get(row)));
  return {name, unit, description, std::move(values)};
}

}  // namespace heddle

#endif  // HEDDLE_CORE_MAKE_COLUMN_H_
