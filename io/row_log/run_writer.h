// SPDX-License-Identifier: GPL-2.0-only
/// Writes the rows of one table to a row log in sorted runs.
///
/// A run is rows of one number, each block sorted and none before the block ahead of it, so that a
/// merge reads a run from first to last with one block in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/table.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_format.h"
#include "io/table/table_rows.h"

namespace heddle {

class RunWriter final {
 public:
  /// `number`: of the table in the log. The first run is the one after `last_run`; blocks have at
  /// most `block_rows` rows.
  RunWriter(LoggedTable table, std::uint32_t number, std::uint32_t last_run,
            std::size_t block_rows);
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  /// Returns the table, without rows.
  const Table& header() const { return table_.header; }
  /// Sorts the rows by the table's keys and adds them to `log`: to the current run if none of them
  /// comes before its last row, otherwise as a run of their own.
  void Append(const Table& rows, RowLogWriter* log);

 private:
  /// Copies row `last` of `rows` as the last one of the current run.
  void Keep(const Table& rows, std::size_t last);

  LoggedTable table_;
  std::uint32_t number_, run_;
  std::size_t block_rows_;
  Table last_;  ///< the last row of the current run
  std::unique_ptr<RowOrder> last_order_;
};

}  // namespace heddle
