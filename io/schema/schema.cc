// SPDX-License-Identifier: GPL-2.0-only
#include "io/schema/schema.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace heddle {
namespace {

/// Whether `name` matches `pattern`, in which KEY stands for any text and N for a number.
bool Fits(const std::string& pattern, const std::string& name) {
  if (pattern == "option KEY") return name.rfind("option ", 0) == 0 && name.size() > 7;
  if (pattern == "job N workload_digest") {
    const std::string tail = " workload_digest";
    if (name.size() <= 4 + tail.size() || name.rfind("job ", 0) != 0) return false;
    const std::string number = name.substr(4, name.size() - 4 - tail.size());
    return name.substr(4 + number.size()) == tail &&
           number.find_first_not_of("0123456789") == std::string::npos;
  }
  return pattern == name;
}

std::int64_t SortValue(double value) {
  std::int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits < 0 ? -(bits & 0x7fffffffffffffff)
                  : bits;  // the bits of positive numbers sort like the numbers
}

std::vector<std::int64_t> SortValuesOf(const ColumnSchema& schema, const Column& column) {
  return std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        std::vector<std::int64_t> result;
        result.reserve(values.size());
        for (const Value& value : values) {
          if constexpr (std::is_same_v<Value, std::string>) {
            result.push_back(std::find(schema.words.begin(), schema.words.end(), value) -
                             schema.words.begin());
          } else if constexpr (std::is_same_v<Value, double>) {
            result.push_back(SortValue(value));
          } else {
            result.push_back(static_cast<std::int64_t>(value));
          }
        }
        return result;
      },
      column.data);
}

}  // namespace

const char* ToText(ColumnType type) {
  constexpr const char* kNames[] = {"i64", "u32", "u16", "u8", "f64", "text"};
  return kNames[static_cast<std::size_t>(type)];
}

ColumnType TypeOf(const Column& column) { return static_cast<ColumnType>(column.data.index()); }

const char* ToText(AttributeType type) {
  constexpr const char* kNames[] = {"text", "i64", "f64", "two i32"};
  return kNames[static_cast<std::size_t>(type)];
}

const ColumnSchema* FindColumnSchema(const TableSchema& table, const std::string& name) {
  for (const ColumnSchema& column : table.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

const AttributeSchema* FindAttributeSchema(const std::vector<AttributeSchema>& known,
                                           const std::string& name) {
  for (const AttributeSchema& attribute : known) {
    if (Fits(attribute.name, name)) return &attribute;
  }
  return nullptr;
}

std::vector<std::vector<std::int64_t>> SortValues(const TableSchema& schema,
                                                  const std::vector<std::string>& columns,
                                                  const Table& table) {
  std::vector<std::vector<std::int64_t>> result;
  for (const std::string& entry : columns) {
    const bool descending = entry[0] == '-';
    const std::string name = descending ? entry.substr(1) : entry;
    const ColumnSchema* column_schema = FindColumnSchema(schema, name);
    for (const Column& column : table.columns) {
      if (column_schema == nullptr || column.name != name) continue;
      result.push_back(SortValuesOf(*column_schema, column));
      if (descending) {
        for (std::int64_t& value : result.back()) value = -value;
      }
    }
  }
  return result;
}

}  // namespace heddle
