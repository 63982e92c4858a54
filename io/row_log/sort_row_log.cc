// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/sort_row_log.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/row_log/run_writer.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Sorts one table, run by run.
class TableSorter {
 public:
  TableSorter(const LoggedTable& table, const SortLimits& limits, RowLogWriter* to)
      : limits_(limits),
        to_(to),
        runs_(table, to->AddTable(table), 0, limits.block_rows),
        waiting_(table.header) {}

  void Add(const Table& rows, std::size_t bytes) {
    const std::size_t count = CheckedRows(rows);
    if (rows_ > 0 && (rows_ + count > limits_.rows || bytes_ + bytes > limits_.bytes)) Finish();
    AppendRows(rows, 0, count, &waiting_);
    rows_ += count;
    bytes_ += bytes;
  }

  /// Writes the pending run.
  void Finish() {
    runs_.Append(waiting_, to_);
    waiting_ = runs_.header();
    rows_ = bytes_ = 0;
  }

 private:
  SortLimits limits_;
  RowLogWriter* to_;
  RunWriter runs_;
  Table waiting_;  ///< rows of the current run
  std::size_t rows_ = 0, bytes_ = 0;
};

/// Whether a merge can read the table from the row log itself.
bool HasFewRuns(const RowLogReader& log, std::uint32_t table, const SortLimits& limits) {
  std::uint32_t most = 0;
  for (const RowLogReader::Block& block : log.blocks()) {
    if (block.table != table) continue;
    if (block.run == 0) return false;
    most = std::max(most, block.run);
  }
  return most <= limits.unsorted_runs;
}

void SortTables(const RowLogReader& from, const SortLimits& limits, RowLogWriter* to) {
  for (std::uint32_t i = 0; i < from.tables().size(); ++i) {
    if (HasFewRuns(from, i, limits)) continue;
    TableSorter sorter(from.tables()[i], limits, to);
    for (const RowLogReader::Block& block : from.blocks()) {
      if (block.table == i) sorter.Add(from.ReadBlock(block), block.bytes);
    }
    sorter.Finish();
  }
}

}  // namespace

void SortStream(const std::string& part, std::uint64_t until, const SortLimits& limits,
                std::string sorted) {
  if (sorted.empty()) sorted = SortedPartPath(part);
  const RowLogReader from(part, until, RowLogReader::Check::kLater);
  RowLogReader::Commit commit{0, {0}, 0};  // for a log without commits
  for (const RowLogReader::Commit& found : from.commits()) {
    if (found.number <= until) commit = found;
  }
  try {
    RowLogWriter to(sorted);
    SortTables(from, limits, &to);
    to.Commit(commit.number, commit.time);
    to.Close();
  } catch (const FileError&) {
    std::remove(sorted.c_str());
    throw;
  }
}

}  // namespace heddle
