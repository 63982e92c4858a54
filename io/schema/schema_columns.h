// SPDX-License-Identifier: GPL-2.0-only
/// Short words for the columns and tables of a schema.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/schema/schema.h"

namespace heddle::schema {

inline constexpr ColumnType kI64 = ColumnType::kI64, kU32 = ColumnType::kU32,
                            kU16 = ColumnType::kU16, kU8 = ColumnType::kU8, kF64 = ColumnType::kF64;

/// A column of times [ps].
inline ColumnSchema Moment(const char* name, Values values = Values::kTime) {
  return {name, kI64, "ps", values};
}
/// A column of durations [ps], which may be longer than the run: sums over ports or priorities.
inline ColumnSchema Duration(const char* name) { return {name, kI64, "ps", Values::kCount}; }
inline ColumnSchema ByteCount(const char* name) { return {name, kI64, "byte", Values::kCount}; }
inline ColumnSchema Count(const char* name) { return {name, kI64, "1", Values::kCount}; }
inline ColumnSchema Number(const char* name) { return {name, kU32, "1"}; }
inline ColumnSchema Real(const char* name, const char* unit) {
  return {name, kF64, unit, Values::kCount};
}
inline ColumnSchema Free(const char* name) { return {name, ColumnType::kText, "1"}; }
inline ColumnSchema Word(const char* name, std::vector<std::string> words) {
  return {name, ColumnType::kText, "1", Values::kWord, 0, "", std::move(words)};
}
inline ColumnSchema Node(const char* name, Values values = Values::kNode) {
  return {name, kU32, "1", values};
}
inline ColumnSchema PortOfNode(const char* name, const char* node) {
  return {name, kU32, "1", Values::kPort, 0, node};
}
inline ColumnSchema Small(const char* name, std::int64_t limit) {
  return {name, kU8, "1", Values::kUpTo, limit};
}
inline ColumnSchema JobNumber() { return {"job", kU32, "1", Values::kJob}; }
inline ColumnSchema In(Present present, ColumnSchema column) {
  column.present = present;
  return column;
}

inline TableSchema Sorted(const char* name, Present present, const std::vector<std::string>& keys,
                          std::vector<ColumnSchema> columns) {
  return {name, present, keys, EqualKeys::kNone, keys, std::move(columns)};
}
inline TableSchema Monitor(const char* name, const std::vector<std::string>& keys,
                           std::vector<ColumnSchema> columns) {
  return {name, Present::kMonitor, keys, EqualKeys::kByColumns, keys, std::move(columns)};
}

}  // namespace heddle::schema
