// SPDX-License-Identifier: GPL-2.0-only
#include "io/check/table_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

std::string Place(const std::string& table) { return "/" + table; }
std::string Place(const std::string& table, const std::string& column) {
  return "/" + table + "/" + column;
}

void ValidateColumn(const ColumnSchema& schema, const std::string& table, const Column& column,
                    std::vector<Finding>* findings) {
  const std::string place = Place(table, column.name);
  if (TypeOf(column) != schema.type) {
    findings->push_back(
        {place, fmt::format("type {}. Expected: {}", ToText(TypeOf(column)), ToText(schema.type))});
  }
  if (column.unit != schema.unit) {
    findings->push_back(
        {place, fmt::format("unit '{}'. Expected: '{}'", column.unit, schema.unit)});
  }
  if (column.description.empty())
    findings->push_back({place, "no description. Expected: a sentence"});
}

/// The last row of the previous block, and the errors in the order of rows.
class OrderCheck {
 public:
  explicit OrderCheck(const TableSchema& schema) : schema_(schema) {}

  void Add(const Table& block) {
    if (schema_.order.empty()) return;
    const auto keys = SortValues(schema_, schema_.order, block);
    const std::size_t rows = RowCount(block.columns.front());
    if (rows == 0) return;
    if (seen_ > 0) Compare(last_keys_, last_, 0, keys, block, 0, seen_);
    for (std::size_t row = 1; row < rows; ++row)
      Compare(keys, block, row - 1, keys, block, row, seen_ + row);
    seen_ += rows;
    last_ = WithoutRows(block);
    CopyRows(block, {rows - 1}, &last_);
    last_keys_.clear();
    for (const auto& key : keys) last_keys_.push_back({key.back()});
  }

  void Report(std::vector<Finding>* findings) const {
    if (count_ == 0) return;
    std::string order;
    for (const std::string& column : schema_.order) {
      order += (order.empty() ? "" : ", ") +
               (column[0] == '-' ? column.substr(1) + " descending" : column);
    }
    if (schema_.equal_keys == EqualKeys::kByColumns) order += ", then the other columns";
    findings->push_back(
        {Place(schema_.name),
         fmt::format("row {} {}{}. Expected: rows by {}{}", row_,
                     repeated_ ? "has the keys of the row before" : "comes before the row above it",
                     count_ > 1 ? fmt::format(", and {} more", count_ - 1) : "", order,
                     KeysIdentify() ? ", each once" : "")});
  }

 private:
  using Keys = std::vector<std::vector<std::int64_t>>;

  void Compare(const Keys& keys, const Table& table, std::size_t row, const Keys& next_keys,
               const Table& next_table, std::size_t next_row, std::uint64_t number) {
    int sign = 0;
    for (std::size_t i = 0; i < keys.size() && sign == 0; ++i) {
      sign = keys[i][row] < next_keys[i][next_row]
                 ? -1
                 : (keys[i][row] > next_keys[i][next_row] ? 1 : 0);
    }
    const bool equal = sign == 0;
    const bool unnumbered =
        schema_.equal_keys == EqualKeys::kUnnumbered && keys.back()[row] == kNoNumber;
    if (equal && schema_.equal_keys == EqualKeys::kByColumns) {
      sign = RowOrder(table, {}).Compare(row, RowOrder(next_table, {}), next_row);
    }
    if (sign < 0 || (sign == 0 && (unnumbered || !KeysIdentify()))) return;
    if (count_++ > 0) return;
    row_ = number;
    repeated_ = equal && KeysIdentify();
  }

  bool KeysIdentify() const {
    return schema_.equal_keys == EqualKeys::kNone || schema_.equal_keys == EqualKeys::kUnnumbered;
  }

  const TableSchema& schema_;
  Keys last_keys_;
  Table last_;
  std::uint64_t seen_ = 0, count_ = 0, row_ = 0;
  bool repeated_ = false;
};

/// Errors in the values of one table, one finding for each column.
class ValueCheck {
 public:
  ValueCheck(const TableSchema& schema, const ValueBounds& bounds)
      : schema_(schema), bounds_(bounds) {}

  void Add(const Table& block, std::uint64_t first) {
    for (const Column& column : block.columns) {
      const auto misfits =
          FindMisfits(*FindColumnSchema(schema_, column.name), column, block, bounds_);
      if (!misfits) continue;
      auto [at, is_new] = found_.try_emplace(column.name, *misfits);
      if (is_new) {
        rows_[column.name] = first + misfits->row;
      } else {
        at->second.count += misfits->count;
      }
    }
  }

  void Report(std::vector<Finding>* findings) const {
    for (const auto& [column, misfits] : found_) {
      findings->push_back(
          {Place(schema_.name, column),
           fmt::format("row {} is {}{}. Expected: {}", rows_.at(column), misfits.value,
                       misfits.count > 1 ? fmt::format(", and {} more", misfits.count - 1) : "",
                       misfits.expected)});
    }
  }

 private:
  const TableSchema& schema_;
  const ValueBounds& bounds_;
  std::map<std::string, Misfits> found_;
  std::map<std::string, std::uint64_t> rows_;
};

}  // namespace

Presence PresenceOf(Present present, const std::string& table, const ResultKind& kind) {
  const auto exactly = [](bool there) { return Presence{there, there}; };
  switch (present) {
    case Present::kAlways:
      return exactly(true);
    case Present::kJobs:
      return exactly(kind.jobs);
    case Present::kTimeline:
      return {false, kind.jobs};
    case Present::kController:
      return exactly(kind.controller);
    case Present::kIncomplete:
      return exactly(kind.cut);
    case Present::kMonitor: {
      const std::string name = table.substr(table.rfind('/') + 1);
      return exactly(std::find(kind.monitors.begin(), kind.monitors.end(), name) !=
                     kind.monitors.end());
    }
    case Present::kMayBe:
      break;
  }
  return {false, true};
}

bool ValidateColumns(const TableSchema& schema, const Table& header, const ResultKind& kind,
                     std::vector<Finding>* findings) {
  const std::size_t before = findings->size();
  if (header.description.empty())
    findings->push_back({Place(schema.name), "no description. Expected: a sentence"});
  std::vector<std::string> order;
  for (const Column& column : header.columns) {
    const ColumnSchema* expected = FindColumnSchema(schema, column.name);
    if (expected == nullptr || !PresenceOf(expected->present, schema.name, kind).may) {
      findings->push_back({Place(schema.name, column.name),
                           "an unknown column. Expected: the columns of docs/formats/result.md"});
      continue;
    }
    ValidateColumn(*expected, schema.name, column, findings);
    order.push_back(column.name);
  }
  std::vector<std::string> expected_order;
  for (const ColumnSchema& column : schema.columns) {
    if (std::find(order.begin(), order.end(), column.name) != order.end()) {
      expected_order.push_back(column.name);
    } else if (PresenceOf(column.present, schema.name, kind).must) {
      findings->push_back(
          {Place(schema.name, column.name),
           fmt::format("no such column. Expected: one of type {}", ToText(column.type))});
    }
  }
  if (order != expected_order) {
    findings->push_back(
        {Place(schema.name),
         "columns in another order. Expected: the order of docs/formats/result.md"});
  }
  return findings->size() == before;
}

std::uint64_t ValidateRows(const ResultReader& reader, const TableSchema& schema,
                           const ValueBounds& bounds, const std::function<void(const Table&)>& also,
                           std::vector<Finding>* findings) {
  const std::uint64_t rows = reader.CountRows(schema.name);
  OrderCheck order(schema);
  ValueCheck values(schema, bounds);
  for (std::uint64_t first = 0; first < rows; first += kResultChunkRows) {
    const Table block = reader.ReadRows(schema.name, first,
                                        std::min<std::uint64_t>(kResultChunkRows, rows - first));
    values.Add(block, first);
    order.Add(block);
    also(block);
  }
  values.Report(findings);
  order.Report(findings);
  return rows;
}

}  // namespace heddle
