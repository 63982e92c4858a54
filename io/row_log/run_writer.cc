// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/run_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {

RunWriter::RunWriter(LoggedTable table, std::uint32_t number, std::uint32_t last_run,
                     std::size_t block_rows)
    : table_(std::move(table)), number_(number), run_(last_run), block_rows_(block_rows) {}

void RunWriter::Append(const Table& rows, RowLogWriter* log) {
  const std::size_t count = CheckedRows(rows);
  if (count == 0) return;
  const RowOrder order(rows, table_.keys);
  const bool sorted = order.IsSorted();
  const std::vector<std::size_t> places = sorted ? std::vector<std::size_t>() : order.Sorted();
  const std::size_t first = sorted ? 0 : places.front(), last = sorted ? count - 1 : places.back();
  if (last_order_ == nullptr || last_order_->Compare(0, order, first) > 0) ++run_;
  if (sorted) log->AddRows(number_, rows, run_, block_rows_);
  for (std::size_t at = 0; at < places.size(); at += block_rows_) {
    const std::size_t end = std::min(at + block_rows_, places.size());
    Table block = table_.header;
    CopyRows(rows,
             {places.begin() + static_cast<std::ptrdiff_t>(at),
              places.begin() + static_cast<std::ptrdiff_t>(end)},
             &block);
    log->AddRows(number_, block, run_, block_rows_);
  }
  Keep(rows, last);
}

void RunWriter::Keep(const Table& rows, std::size_t last) {
  last_order_.reset();
  last_ = table_.header;
  CopyRows(rows, {last}, &last_);
  last_order_ = std::make_unique<RowOrder>(last_, table_.keys);
}

}  // namespace heddle
