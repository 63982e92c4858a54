// SPDX-License-Identifier: GPL-2.0-only
#include "io/table/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "core/containers/word_sort.h"

namespace heddle {
namespace {

template <class T>
int Sign(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}
/// Compares the bits: a total order of all values, NaN included, though not by size.
int Sign(double a, double b) {
  std::uint64_t a_bits = 0;
  std::uint64_t b_bits = 0;
  std::memcpy(&a_bits, &a, sizeof a);
  std::memcpy(&b_bits, &b, sizeof b);
  return Sign(a_bits, b_bits);
}

const Column& KeyColumn(const Table& table, const std::string& key) {
  for (const Column& column : table.columns) {
    if (column.name != key) continue;
    const bool integer = std::visit(
        [](const auto& values) {
          return std::is_integral_v<typename std::decay_t<decltype(values)>::value_type>;
        },
        column.data);
    HEDDLE_INVARIANT(integer, fmt::format("table {}: key {} is no integer", table.name, key));
    return column;
  }
  throw InvariantError(fmt::format("table {} has no key column {}", table.name, key));
}

/// Width of a column's values [bit].
unsigned BitsOf(const Column& column) {
  return std::visit(
      [](const auto& values) -> unsigned {
        return 8 * sizeof(typename std::decay_t<decltype(values)>::value_type);
      },
      column.data);
}

/// An integer as an unsigned one with the same order.
std::uint64_t Unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}
template <class T>
std::uint64_t Unsigned(T value) {
  return value;
}

/// Appends the values to word `word` of every row, below the bits already there.
void PackColumn(const Column& column, std::size_t word, std::size_t words,
                std::vector<std::uint64_t>* packed) {
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_integral_v<Value>) {
          std::uint64_t* to = packed->data() + word;
          for (const Value value : values) {
            if constexpr (sizeof(Value) < sizeof *to) {
              *to = *to << (8 * sizeof(Value)) | Unsigned(value);
            } else {
              *to = Unsigned(value);
            }
            to += words;
          }
        }
      },
      column.data);
}

/// A row and the first word of its keys.
using Entry = Worded<std::size_t>;

std::string Describe(const Table& table) {
  std::string text;
  for (const Column& column : table.columns) {
    text += fmt::format("{}{} [{}] (type {})", text.empty() ? "" : ", ", column.name, column.unit,
                        column.data.index());
  }
  return text;
}

}  // namespace

std::size_t RowCount(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.data);
}

std::size_t CheckedRows(const Table& table) {
  for (const Column& column : table.columns) {
    HEDDLE_INVARIANT(RowCount(column) == RowCount(table.columns.front()),
                     "columns of table " + table.name + " differ in length");
  }
  return table.columns.empty() ? 0 : RowCount(table.columns.front());
}

std::vector<std::size_t> LongestTexts(const Table& table) {
  std::vector<std::size_t> longest;
  for (const Column& column : table.columns) {
    longest.push_back(0);
    const auto* texts = std::get_if<std::vector<std::string>>(&column.data);
    if (texts == nullptr) continue;
    for (const std::string& text : *texts) longest.back() = std::max(longest.back(), text.size());
  }
  return longest;
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
          const std::size_t before = target.size();
          target.resize(before + rows.size());
          for (std::size_t at = 0; at < rows.size(); ++at) target[before + at] = source[rows[at]];
        },
        from.columns[i].data);
  }
}

void AppendRows(const Table& from, std::size_t first, std::size_t count, Table* to) {
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    std::visit(
        [&](const auto& source) {
          auto& target = std::get<std::decay_t<decltype(source)>>(to->columns[i].data);
          const auto begin = source.begin() + static_cast<std::ptrdiff_t>(first);
          target.insert(target.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        },
        from.columns[i].data);
  }
}

void CheckKeys(const Table& table, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) KeyColumn(table, key);
}

RowOrder::RowOrder(const Table& table, const std::vector<std::string>& keys) : table_(&table) {
  // Packs keys into a word as long as they fit; the first key is the most significant.
  std::vector<std::size_t> word_of;
  unsigned room = 0;
  for (const std::string& key : keys) {
    const unsigned bits = BitsOf(KeyColumn(table, key));
    if (bits > room) {
      ++words_;
      room = 64;
    }
    room -= bits;
    word_of.push_back(words_ - 1);
  }
  packed_.resize(CheckedRows(table) * words_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    PackColumn(KeyColumn(table, keys[i]), word_of[i], words_, &packed_);
  }
}

int RowOrder::CompareColumns(std::size_t row, const RowOrder& other, std::size_t other_row) const {
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

bool RowOrder::IsSorted() const {
  const std::size_t count = CheckedRows(*table_);
  for (std::size_t row = 1; row < count; ++row) {
    if (Compare(row - 1, *this, row) > 0) return false;
  }
  return true;
}

std::vector<std::size_t> RowOrder::Sorted() const {
  std::vector<Entry> entries(CheckedRows(*table_));
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {first_word(i), i};
  const auto before = [this](const Entry& a, const Entry& b) {
    return a.word != b.word ? a.word < b.word : Compare(a.value, *this, b.value) < 0;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    SortByWord(&entries);
    // Sorts rows whose first words are equal.
    for (auto first = entries.begin(); first != entries.end();) {
      const auto last =
          std::find_if(first, entries.end(), [&](const Entry& e) { return e.word != first->word; });
      if (last - first > 1) std::sort(first, last, before);
      first = last;
    }
  }
  std::vector<std::size_t> rows(entries.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = entries[i].value;
  return rows;
}

}  // namespace heddle
