// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/sort_row_log.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Sorts one table, run by run.
class TableSorter {
 public:
  TableSorter(const LoggedTable& table, std::uint32_t number, const SortLimits& limits,
              RowLogWriter* to)
      : table_(table), number_(number), limits_(limits), to_(to), waiting_(table.header) {}

  void Add(const Table& rows, std::size_t bytes) {
    const std::size_t count = CheckedRows(rows);
    if (rows_ > 0 && (rows_ + count > limits_.rows || bytes_ + bytes > limits_.bytes)) Finish();
    AppendRows(rows, 0, count, &waiting_);
    rows_ += count;
    bytes_ += bytes;
  }

  /// Writes the pending run.
  void Finish() {
    if (rows_ == 0) return;
    const RowOrder order(waiting_, table_.keys);
    const std::vector<std::size_t> sorted = order.Sorted();
    if (last_order_ != nullptr && last_order_->Compare(0, order, sorted.front()) > 0) ++run_;
    for (std::size_t at = 0; at < sorted.size(); at += limits_.block_rows) {
      const std::size_t end = std::min(at + limits_.block_rows, sorted.size());
      Table block = table_.header;
      CopyRows(waiting_,
               {sorted.begin() + static_cast<std::ptrdiff_t>(at),
                sorted.begin() + static_cast<std::ptrdiff_t>(end)},
               &block);
      to_->AddRows(number_, block, run_, limits_.block_rows);
    }
    last_ = table_.header;
    CopyRows(waiting_, {sorted.back()}, &last_);
    last_order_ = std::make_unique<RowOrder>(last_, table_.keys);
    waiting_ = table_.header;
    rows_ = bytes_ = 0;
  }

 private:
  const LoggedTable& table_;
  std::uint32_t number_;
  SortLimits limits_;
  RowLogWriter* to_;
  Table waiting_;  ///< rows of the current run
  std::size_t rows_ = 0, bytes_ = 0;
  std::uint32_t run_ = 0;
  Table last_;  ///< the last row of the previous run
  std::unique_ptr<RowOrder> last_order_;
};

void SortTables(const RowLogReader& from, const SortLimits& limits, RowLogWriter* to) {
  for (std::size_t i = 0; i < from.tables().size(); ++i) {
    const std::uint32_t number = to->AddTable(from.tables()[i]);
    TableSorter sorter(from.tables()[i], number, limits, to);
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
  const RowLogReader from(part, until);
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
