// SPDX-License-Identifier: GPL-2.0-only
/// The files that a run keeps on disk beside its future result, and how the result is made from
/// them.
///
/// During a run there are, next to RESULT,
///   RESULT.part.rankN   each rank's row log: rows that were appended (io/row_log/rank_log.h)
///   RESULT.part.totals  everything else as of the last flush: tables of totals, attributes; a
///                       small HDF5 file that is replaced as a whole
/// Both files name their flush. A run that ends makes its result from them; for a run that was
/// killed `heddle recover` does so, up to the last flush in the totals.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/result/result_writer.h"

namespace heddle {

/// A table that is made block by block, as it may be longer than memory allows.
struct LongTable {
  Table header;  ///< its columns without values
  std::uint64_t rows = 0;
  std::vector<std::size_t> text_bytes;  ///< of each column's longest text; 0 for numbers
  /// Begins anew, and returns what gives the next block, until it has given all rows.
  std::function<std::function<Table()>()> blocks;
};

/// Everything in a result except the rows of the row logs.
struct RunTotals {
  std::uint64_t flush = 0;  ///< number of the flush, as committed to the logs
  Time until;               ///< all events before this time are included
  bool ended = false;       ///< whether the run ended, so that nothing is missing
  std::uint32_t logs = 1;   ///< number of row logs, RESULT.part.rank0 and following
  std::vector<Table> tables;
  std::vector<LongTable> long_tables;  ///< written only; what is read is in `tables`
  std::vector<Attribute> attributes;   ///< of the root
  std::vector<Attribute> run;          ///< of /run
};

/// RESULT.part.totals.
std::string TotalsPath(const std::string& result);

/// Replaces the totals atomically: a reader sees the old or the new file. Throws FileError.
void WriteTotals(const std::string& result, const RunTotals& totals);

/// Throws UserError if the totals are missing or unreadable.
RunTotals ReadTotals(const std::string& result);
/// Whether there are readable totals of a run that had ended.
bool HaveEndedTotals(const std::string& result);

/// Totals and row logs (by rank) that exist beside `result`; none if the last run ended in order.
/// Deleted in this order, what a kill leaves of them is never taken for a run without rows.
std::vector<std::string> FindResultParts(const std::string& result);

/// Throws FileError with the files and the remedies if there are any and not `force`; with `force`
/// deletes them.
void ClearResultParts(const std::string& result, bool force);

/// Sets the totals back to the last flush that all row logs have, for logs that were damaged after
/// they were written: changes `flush`, `until` and `ended`; tables of totals stay. Logs unknown to
/// the totals are still empty (a restart on more ranks created them) and are left out. Returns a
/// text about what is missing, or an empty text. Throws FileError for a file that is no row log.
std::vector<std::string> TruncateToLogs(std::vector<std::string>* logs, RunTotals* totals);

/// Writes totals and sorted row logs (SortStream; `sorted`: their files, none: beside the logs) to
/// `writer`, which stays open. `watch` receives every block of the logs' rows. Throws FileError.
void AssembleResult(const RunTotals& totals, const std::vector<std::string>& logs,
                    ResultWriter* writer, const std::vector<std::string>& sorted = {},
                    const std::function<void(const Table&)>& watch = nullptr);

}  // namespace heddle
