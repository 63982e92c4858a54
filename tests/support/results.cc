// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace heddle::testing {
namespace {

template <class Values>
using ValueOf = typename std::decay_t<Values>::value_type;

/// Gathers a column of all ranks at the root, in order of ranks. Monitors have numbers only.
void GatherColumn(const Communicator& world, ColumnData* data) {
  std::visit(
      [&](auto& values) {
        using Value = ValueOf<decltype(values)>;
        if constexpr (std::is_arithmetic_v<Value>) {
          std::vector<char> bytes(values.size() * sizeof(Value));
          if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
          values.clear();
          for (const std::vector<char>& part : world.Gather(bytes)) {
            const std::size_t at = values.size();
            values.resize(at + part.size() / sizeof(Value));
            if (!part.empty()) std::memcpy(values.data() + at, part.data(), part.size());
          }
        } else {
          throw std::logic_error("a monitor with texts");
        }
      },
      *data);
}

bool IsKey(const std::string& column) {
  for (const char* key : {"time_ps", "node", "port", "priority", "src", "dst", "source_port"}) {
    if (column == key) return true;
  }
  return false;
}

int CompareRows(const ColumnData& data, std::size_t a, std::size_t b) {
  return std::visit(
      [&](const auto& values) {
        return values[a] < values[b] ? -1 : values[b] < values[a] ? 1 : 0;
      },
      data);
}

/// Sorts by the key columns, most significant first; rows with equal keys are from one domain and
/// keep its order.
void SortRows(Table* table) {
  std::vector<const ColumnData*> keys;
  for (const Column& column : table->columns) {
    if (IsKey(column.name)) keys.push_back(&column.data);
  }
  std::vector<std::size_t> order(RowCount(*table));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const ColumnData* key : keys) {
      const int compared = CompareRows(*key, a, b);
      if (compared != 0) return compared < 0;
    }
    return false;
  });
  for (Column& column : table->columns) {
    std::visit(
        [&](auto& values) {
          auto sorted = values;
          for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
          values = std::move(sorted);
        },
        column.data);
  }
}

std::uint64_t DigestBooks(const Results& results) {
  const auto counts = results.books.Values();
  const std::vector<std::int64_t> figures(counts.begin(), counts.end());
  return Digest(Table{"books",
                      "",
                      {{"figure", "1", "", figures},
                       {"end", "ps", "", std::vector<std::int64_t>{results.end.ps}},
                       {"deadlock", "1", "", std::vector<std::string>{results.deadlock}}}});
}

}  // namespace

const Table& Results::table(const std::string& name) const {
  for (const Table& table : tables) {
    if (table.name == name) return table;
  }
  throw std::out_of_range("no table " + name);
}

std::size_t RowCount(const Table& table) {
  if (table.columns.empty()) return 0;
  return std::visit([](const auto& values) { return values.size(); }, table.columns.front().data);
}

Results Join(const Communicator& world, const Observed& outcome) {
  Results results{{outcome.flows, outcome.drops, outcome.ports, outcome.pause_causes},
                  outcome.books,
                  outcome.deadlock,
                  outcome.end};
  results.tables.insert(results.tables.end(), outcome.statistics.begin(), outcome.statistics.end());
  results.tables.insert(results.tables.end(), outcome.jobs.begin(), outcome.jobs.end());
  results.tables.insert(results.tables.end(), outcome.controller.begin(), outcome.controller.end());
  for (Table table : outcome.monitors) {
    for (Column& column : table.columns) GatherColumn(world, &column.data);
    if (world.is_root()) SortRows(&table);
    results.tables.push_back(std::move(table));
  }
  return results;
}

std::uint64_t DigestAll(const Results& results) {
  std::vector<std::int64_t> digests = {static_cast<std::int64_t>(DigestBooks(results))};
  for (const Table& table : results.tables)
    digests.push_back(static_cast<std::int64_t>(Digest(table)));
  return Digest(Table{"all", "", {{"digest", "1", "", digests}}});
}

std::string DigestParts(const Results& results) {
  std::string text = fmt::format("books {:08x}", DigestBooks(results) & 0xffffffff);
  for (const Table& table : results.tables) {
    text += fmt::format(" {}({}) {:08x}", table.name, RowCount(table), Digest(table) & 0xffffffff);
  }
  return text;
}

}  // namespace heddle::testing
