// SPDX-License-Identifier: GPL-2.0-only
#include "io/compare/row_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

std::string ValueText(const Column& column, std::size_t row) {
  return std::visit([row](const auto& values) { return fmt::format("{}", values[row]); },
                    column.data);
}

}  // namespace

RowMatcher::Cursor::Cursor(const ResultReader& reader, std::string table, const TableSchema* schema,
                           std::vector<std::string> columns)
    : reader_(reader),
      table_(std::move(table)),
      schema_(schema),
      columns_(std::move(columns)),
      rows_(reader.CountRows(table_)),
      in_memory_(schema != nullptr && !schema->keys.empty() && schema->keys != schema->order) {
  // Yields the columns even if the table has no rows.
  block = reader_.ReadRows(table_, 0, 0, columns_);
}

void RowMatcher::Cursor::ReadSorted() {
  const Table table = reader_.ReadRows(table_, 0, rows_, columns_);
  const auto unsorted = SortValues(*schema_, schema_->keys, table);
  std::vector<std::size_t> rows(rows_);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t x, std::size_t y) {
    for (const auto& key : unsorted) {
      if (key[x] != key[y]) return key[x] < key[y];
    }
    return false;
  });
  block = WithoutRows(table);
  CopyRows(table, rows, &block);
}

bool RowMatcher::Cursor::Fill() {
  if (at < size_) return true;
  if (read_ == rows_) return false;
  first = read_;
  size_ = in_memory_ ? rows_ : std::min<std::uint64_t>(kResultChunkRows, rows_ - read_);
  if (in_memory_) {
    ReadSorted();
  } else {
    block = reader_.ReadRows(table_, read_, size_, columns_);
  }
  keys.clear();
  if (schema_ != nullptr) keys = SortValues(*schema_, schema_->keys, block);
  read_ += size_;
  at = 0;
  return true;
}

RowMatcher::RowMatcher(const ResultReader& a, const ResultReader& b, const std::string& table,
                       const TableSchema* schema, const std::vector<std::string>& columns)
    : schema_(schema), a_(a, table, schema, columns), b_(b, table, schema, columns) {}

int RowMatcher::CompareKeys() const {
  for (std::size_t i = 0; i < a_.keys.size(); ++i) {
    const std::int64_t x = a_.keys[i][a_.at];
    const std::int64_t y = b_.keys[i][b_.at];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

bool RowMatcher::Next(MatchedRows* matched) {
  const bool more_a = a_.Fill();
  const bool more_b = b_.Fill();
  *matched = {&a_.block, &b_.block, {}, {}, {}, {}, a_.first, b_.first};
  while (a_.block_left() && b_.block_left()) {
    const int sign = CompareKeys();
    if (sign == 0) {
      matched->rows_a.push_back(a_.at++);
      matched->rows_b.push_back(b_.at++);
    } else if (sign < 0) {
      matched->only_a.push_back(a_.at++);
    } else {
      matched->only_b.push_back(b_.at++);
    }
  }
  if (!more_b) {
    while (a_.block_left()) matched->only_a.push_back(a_.at++);
  }
  if (!more_a) {
    while (b_.block_left()) matched->only_b.push_back(b_.at++);
  }
  return more_a || more_b;
}

std::string RowMatcher::Name(const Table& table, std::size_t row, std::uint64_t first) const {
  std::string text;
  for (const Column& column : table.columns) {
    if (schema_ == nullptr ||
        std::count(schema_->keys.begin(), schema_->keys.end(), column.name) == 0)
      continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column.name, ValueText(column, row));
  }
  return text.empty() ? fmt::format("row {}", first + row) : text;
}

}  // namespace heddle
