// SPDX-License-Identifier: GPL-2.0-only
/// The result file's format as data: every table, column and attribute. docs/formats/result.md says
/// the same in words; a test holds them against each other.
///
/// Omitted: descriptions, which the files carry.
#ifndef HEDDLE_IO_RESULT_RESULT_SCHEMA_H_
#define HEDDLE_IO_RESULT_RESULT_SCHEMA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/table/result_format.h"

namespace heddle {

/// In the order of ColumnData's alternatives.
enum class ColumnType : std::uint8_t { kI64, kU32, kU16, kU8, kF64, kText };
/// "i64", "u32", "u16", "u8", "f64", "text".
const char* ToText(ColumnType type);
ColumnType TypeOf(const Column& column);

/// When a table, a column or an attribute is in a file.
enum class Present : std::uint8_t {
  kAlways,
  kJobs,        ///< runs of workloads
  kMayBe,       ///< nothing else in the file says whether
  kTimeline,    ///< may be in runs of workloads
  kController,  ///< option controller.enable
  kMonitor,     ///< the table's kind is in option monitor.kinds
  kCut,         ///< attribute complete is 0
};

/// What values may stand in a column. Floating-point ones are finite, whatever this says.
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
  std::vector<std::string> words = {};  ///< in the order in which they sort
  Present present = Present::kAlways;
};

/// How rows with equal keys stand.
enum class EqualKeys : std::uint8_t {
  kNone,  ///< there are none: the keys name a row
  kAnyOrder,
  kByColumns,  ///< by all columns, one after the other
};

struct TableSchema {
  std::string name;  ///< "monitors/queues"
  Present present = Present::kAlways;
  std::vector<std::string>
      keys;  ///< columns that say which row of another run is the same; none: the row's number
  EqualKeys equal_keys = EqualKeys::kNone;
  /// Columns that order the rows, ascending, "-column": descending. Not always the keys.
  std::vector<std::string> order;
  std::vector<ColumnSchema> columns;
};

enum class AttributeType : std::uint8_t { kText, kI64, kF64, kTwoI32 };
/// "text", "i64", "f64", "two i32".
const char* ToText(AttributeType type);

struct AttributeSchema {
  std::string name;  ///< "option KEY" and "job N workload_digest" stand for several
  AttributeType type;
  Present present = Present::kAlways;
};
const std::vector<TableSchema>& ResultTables();
/// Null if there is none.
const TableSchema* FindTableSchema(const std::string& name);
const ColumnSchema* FindColumnSchema(const TableSchema& table, const std::string& name);

const std::vector<AttributeSchema>& RootAttributes();
const std::vector<AttributeSchema>& RunAttributes();
/// The one that `name` is an example of; null if there is none.
const AttributeSchema* FindAttributeSchema(const std::vector<AttributeSchema>& known,
                                           const std::string& name);

/// Values of `columns` ("-name": negated) as integers that sort as the rows do. Columns that the
/// table lacks are left out. Requires that the table has the schema's types.
std::vector<std::vector<std::int64_t>> SortValues(const TableSchema& schema,
                                                  const std::vector<std::string>& columns,
                                                  const Table& table);

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_RESULT_SCHEMA_H_
