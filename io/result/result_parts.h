// SPDX-License-Identifier: GPL-2.0-only
/// What a run keeps on disk beside its result-to-be, and how the result is made of it.
///
/// While a run goes on there are, next to RESULT,
///   RESULT.part.rankN   each rank's log: rows that were appended (io/row_log/rank_log.h)
///   RESULT.part.totals  all else as of the last flush: tables of totals, attributes; a small HDF5
///                       file that is replaced as a whole
/// Both say to which flush they belong. A run that ends makes its result of them; of a run that was
/// killed `heddle recover` makes one, up to the last flush that the totals know.
#ifndef HEDDLE_IO_RESULT_RESULT_PARTS_H_
#define HEDDLE_IO_RESULT_RESULT_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/result/result_writer.h"

namespace heddle {

/// Everything of a result but the rows of the logs.
struct RunTotals {
  std::uint64_t flush = 0;  ///< number of the flush, as committed to the logs
  Time until;               ///< all events before it are in
  bool ended = false;       ///< the run came to its end: nothing is missing
  std::uint32_t logs = 1;   ///< logs that the rows are in, RESULT.part.rank0 and those that follow
  std::vector<Table> tables;
  std::vector<Attribute> attributes;  ///< of the root
  std::vector<Attribute> run;         ///< of /run
};

/// RESULT.part.totals.
std::string TotalsPath(const std::string& result);

/// Replaces the totals as a whole: whoever reads them sees the old or the new. Throws FileError.
void WriteTotals(const std::string& result, const RunTotals& totals);

/// Throws UserError if there are none, or they cannot be read.
RunTotals ReadTotals(const std::string& result);

/// Logs and totals that lie beside `result`, logs by rank first; none if the last run ended well.
std::vector<std::string> FindResultParts(const std::string& result);

/// Throws FileError naming the files and the remedies if there are any and not `force`; with
/// `force` deletes them.
void ClearResultParts(const std::string& result, bool force);

/// Cuts the totals back to the last flush that all logs have, for logs that were damaged after they
/// were written: `flush`, `until` and `ended` change then, tables of totals stay. Logs that the
/// totals do not know hold nothing yet (a restart on more ranks made them) and are left out.
/// Returns what is missing, in words; nothing if all is whole. Throws FileError for a log that is
/// none.
std::vector<std::string> CutToLogs(std::vector<std::string>* logs, RunTotals* totals);

/// Writes totals and sorted logs (SortStream; `sorted`: their files, none: beside the logs) to
/// `writer`, which stays open. Throws FileError.
void AssembleResult(const RunTotals& totals, const std::vector<std::string>& logs,
                    ResultWriter* writer, const std::vector<std::string>& sorted = {});

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_RESULT_PARTS_H_
