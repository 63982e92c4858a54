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

/// Makes a column of times [ps].
inline ColumnSchema Moment(const char* name, Values values = Values::kTime) {
  return {name, kI64, "ps", values};
}
/// Makes a column of durations [ps], which may be longer than the run: sums over ports or
/// priorities.
inline ColumnSchema Duration(const char* name) { return {name, kI64, "ps", Values::kCount}; }
/// Makes a column of bytes, 0 or more.
inline ColumnSchema ByteCount(const char* name) { return {name, kI64, "byte", Values::kCount}; }
/// Makes a column of numbers without a unit, 0 or more.
inline ColumnSchema Count(const char* name) { return {name, kI64, "1", Values::kCount}; }
/// Makes a column of 32-bit numbers of things: any value.
inline ColumnSchema Number(const char* name) { return {name, kU32, "1"}; }
/// Makes a column of floating-point values, 0 or more.
inline ColumnSchema Real(const char* name, const char* unit) {
  return {name, kF64, unit, Values::kCount};
}
/// Makes a column of any texts.
inline ColumnSchema Free(const char* name) { return {name, ColumnType::kText, "1"}; }
/// Makes a column of texts out of `words`, which are in their sort order.
inline ColumnSchema Word(const char* name, std::vector<std::string> words) {
  return {name, ColumnType::kText, "1", Values::kWord, 0, "", std::move(words)};
}
/// Makes a column of nodes' numbers. `values`: kNode, kHost or kGpu.
inline ColumnSchema Node(const char* name, Values values = Values::kNode) {
  return {name, kU32, "1", values};
}
/// Makes a column of ports of the node that stands in column `node`.
inline ColumnSchema PortOfNode(const char* name, const char* node) {
  return {name, kU32, "1", Values::kPort, 0, node};
}
/// Makes a column of 8-bit numbers, 0 to `limit`.
inline ColumnSchema Small(const char* name, std::int64_t limit) {
  return {name, kU8, "1", Values::kUpTo, limit};
}
/// Makes column "job", whose values are rows of /jobs.
inline ColumnSchema JobNumber() { return {"job", kU32, "1", Values::kJob}; }
/// Limits a column to files in which `present` holds.
inline ColumnSchema In(Present present, ColumnSchema column) {
  column.present = present;
  return column;
}

/// Makes a table whose keys identify a row and order the rows.
inline TableSchema Sorted(const char* name, Present present, const std::vector<std::string>& keys,
                          std::vector<ColumnSchema> columns) {
  return {name, present, keys, EqualKeys::kNone, keys, std::move(columns)};
}
/// Makes a monitor's table: ordered by `keys`, and rows with equal keys by all columns.
inline TableSchema Monitor(const char* name, const std::vector<std::string>& keys,
                           std::vector<ColumnSchema> columns) {
  return {name, Present::kMonitor, keys, EqualKeys::kByColumns, keys, std::move(columns)};
}

}  // namespace heddle::schema
