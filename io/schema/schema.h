// SPDX-License-Identifier: GPL-2.0-only
/// What a format of result files is made of, as data: tables, columns and attributes.
///
/// Omitted: descriptions, which are in the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// In the order of ColumnData's alternatives.
enum class ColumnType : std::uint8_t { kI64, kU32, kU16, kU8, kF64, kText };
/// "i64", "u32", "u16", "u8", "f64", "text".
const char* ToText(ColumnType type);
ColumnType TypeOf(const Column& column);  ///< of the values that it holds

/// Condition under which a table, a column or an attribute is in a file.
enum class Present : std::uint8_t {
  kAlways,
  kJobs,        ///< runs of workloads
  kMayBe,       ///< optional; nothing else in the file shows it
  kTimeline,    ///< optional in runs of workloads
  kController,  ///< option controller.enable
  kMonitor,     ///< the table's kind is in option monitor.kinds
  kIncomplete,  ///< attribute complete is 0
};

/// Valid values of a column. Floating-point values must be finite in all cases.
enum class Values : std::uint8_t {
  kAny,
  kCount,        ///< 0 or more
  kCountOrNone,  ///< -1, or 0 or more
  kPositive,
  kUpTo,        ///< 0 to `limit`
  kTime,        ///< 0 to the end of the run
  kTimeOrNone,  ///< -1, or a time
  kGpu,
  kHost,  ///< a GPU or an NVSwitch
  kNode,
  kPort,     ///< of the node in the column `of`
  kJob,      ///< a row of /jobs
  kRequest,  ///< a row of /controller/requests
  kWord,     ///< one of `words`
};

struct ColumnSchema {
  std::string name;
  ColumnType type;
  std::string unit;
  Values values = Values::kAny;
  std::int64_t limit = 0;
  std::string of = {};
  std::vector<std::string> words = {};  ///< in their sort order
  Present present = Present::kAlways;
};

/// The number of what nobody has numbered: flows that never started.
constexpr std::int64_t kNoNumber = 0xffff'ffff;

/// The order of rows with equal keys.
enum class EqualKeys : std::uint8_t {
  kNone,        ///< no equal keys: the keys identify a row
  kUnnumbered,  ///< none but rows whose last key, a number, is kNoNumber
  kAnyOrder,
  kByColumns,  ///< by all columns, in their order
};

struct TableSchema {
  std::string name;  ///< "monitors/queues"
  Present present = Present::kAlways;
  /// Columns that identify the same row in another run; none: the row's number.
  std::vector<std::string> keys;
  EqualKeys equal_keys = EqualKeys::kNone;
  /// Columns by which rows are sorted, ascending; "-column": descending. May differ from the keys.
  std::vector<std::string> order;
  std::vector<ColumnSchema> columns;
};

enum class AttributeType : std::uint8_t { kText, kI64, kF64, kTwoI32 };
/// "text", "i64", "f64", "two i32".
const char* ToText(AttributeType type);

struct AttributeSchema {
  std::string name;  ///< "option KEY" and "job N workload_digest" are patterns
  AttributeType type;
  Present present = Present::kAlways;
};

/// Returns the schema of a column; null if the table has no such column.
const ColumnSchema* FindColumnSchema(const TableSchema& table, const std::string& name);

/// Returns the schema whose pattern `name` matches; null if there is none.
const AttributeSchema* FindAttributeSchema(const std::vector<AttributeSchema>& known,
                                           const std::string& name);

/// Values of `columns` ("-name": negated) as integers in the order of rows. Leaves out columns that
/// the table lacks. Requires that the table has the schema's types.
std::vector<std::vector<std::int64_t>> SortValues(const TableSchema& schema,
                                                  const std::vector<std::string>& columns,
                                                  const Table& table);

}  // namespace heddle
