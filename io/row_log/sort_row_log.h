// SPDX-License-Identifier: GPL-2.0-only
/// External sort of one rank's part file: sorted runs, beside it in PART.sorted.
#ifndef HEDDLE_IO_ROW_LOG_SORT_ROW_LOG_H_
#define HEDDLE_IO_ROW_LOG_SORT_ROW_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

/// What one run has at most; twice as many bytes are in memory. At least one block goes into a run.
struct SortLimits {
  std::size_t rows = std::size_t{1} << 20;
  std::size_t bytes = std::size_t{128} << 20;
  std::size_t block_rows = 4096;  ///< rows of a block of the sorted file; a merge holds one a run
};

/// Sorts the rows of every table of `part` up to commit `until` (kLastCommit: the last one) by the
/// table's keys and writes them to `sorted` (empty: SortedPartPath(part)), a log of the same format
/// whose blocks are numbered by runs, with one commit: that one's number and time. A run that
/// continues the run before it becomes one with it, so a table that was appended in order is one
/// run. Throws FileError, and leaves no sorted file then.
void SortStream(const std::string& part, std::uint64_t until, const SortLimits& limits = {},
                std::string sorted = "");

}  // namespace heddle

#endif  // HEDDLE_IO_ROW_LOG_SORT_ROW_LOG_H_
