// SPDX-License-Identifier: GPL-2.0-only
#include "io/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "core/check.h"
#include "io/hdf5_write.h"

namespace heddle {
namespace {

template <class T>
int Sign(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}
/// By their bits: an order without exceptions, whatever it means.
int Sign(double a, double b) {
  std::uint64_t a_bits = 0;
  std::uint64_t b_bits = 0;
  std::memcpy(&a_bits, &a, sizeof a);
  std::memcpy(&b_bits, &b, sizeof b);
  return Sign(a_bits, b_bits);
}

std::vector<std::int64_t> KeyValues(const Table& table, const std::string& key) {
  for (const Column& column : table.columns) {
    if (column.name != key) continue;
    return std::visit(
        [&](const auto& values) {
          using Value = typename std::decay_t<decltype(values)>::value_type;
          HEDDLE_INVARIANT(std::is_integral_v<Value>,
                           fmt::format("table {}: key {} is no integer", table.name, key));
          std::vector<std::int64_t> keys;
          if constexpr (std::is_integral_v<Value>) keys.assign(values.begin(), values.end());
          return keys;
        },
        column.data);
  }
  throw InvariantError(fmt::format("table {} has no key column {}", table.name, key));
}

std::string Describe(const Table& table) {
  std::string text;
  for (const Column& column : table.columns) {
    text += fmt::format("{}{} [{}] (type {})", text.empty() ? "" : ", ", column.name, column.unit,
                        column.data.index());
  }
  return text;
}

}  // namespace

std::size_t CheckedRows(const Table& table) {
  for (const Column& column : table.columns) {
    HEDDLE_INVARIANT(RowCount(column) == RowCount(table.columns.front()),
                     "columns of table " + table.name + " differ in length");
  }
  return table.columns.empty() ? 0 : RowCount(table.columns.front());
}

void CheckSameColumns(const Table& expected, const Table& found) {
  const bool same =
      std::equal(expected.columns.begin(), expected.columns.end(), found.columns.begin(),
                 found.columns.end(), [](const Column& a, const Column& b) {
                   return a.name == b.name && a.unit == b.unit && a.data.index() == b.data.index();
                 });
  HEDDLE_INVARIANT(same, fmt::format("table {} had the columns {} and now has {}", expected.name,
                                     Describe(expected), Describe(found)));
}

Table WithoutRows(const Table& table) {
  Table header{table.name, table.description, {}};
  for (const Column& column : table.columns) {
    ColumnData none = std::visit(
        [](const auto& values) -> ColumnData { return std::decay_t<decltype(values)>(); },
        column.data);
    header.columns.push_back({column.name, column.unit, column.description, std::move(none)});
  }
  return header;
}

void CopyRows(const Table& from, const std::vector<std::size_t>& rows, Table* to) {
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    std::visit(
        [&](const auto& source) {
          auto& target = std::get<std::decay_t<decltype(source)>>(to->columns[i].data);
          for (const std::size_t row : rows) target.push_back(source[row]);
        },
        from.columns[i].data);
  }
}

RowOrder::RowOrder(const Table& table, const std::vector<std::string>& keys) : table_(&table) {
  for (const std::string& key : keys) keys_.push_back(KeyValues(table, key));
}

int RowOrder::Compare(std::size_t row, const RowOrder& other, std::size_t other_row) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (const int sign = Sign(keys_[i][row], other.keys_[i][other_row])) return sign;
  }
  for (std::size_t i = 0; i < table_->columns.size(); ++i) {
    const int sign = std::visit(
        [&](const auto& values) {
          const auto& others =
              std::get<std::decay_t<decltype(values)>>(other.table_->columns[i].data);
          return Sign(values[row], others[other_row]);
        },
        table_->columns[i].data);
    if (sign != 0) return sign;
  }
  return 0;
}

std::vector<std::size_t> RowOrder::Sorted() const {
  std::vector<std::size_t> rows(CheckedRows(*table_));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto before = [this](std::size_t a, std::size_t b) { return Compare(a, *this, b) < 0; };
  if (!std::is_sorted(rows.begin(), rows.end(), before))
    std::sort(rows.begin(), rows.end(), before);
  return rows;
}

}  // namespace heddle
