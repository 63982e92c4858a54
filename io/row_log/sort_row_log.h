// SPDX-License-Identifier: GPL-2.0-only
/// External sort of one rank's row log: sorted runs, beside it in PART.sorted. Tables whose rows
/// are in few runs already stay where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle {

/// Runs of a table in all logs of a result that are merged without sorting them into fewer: a block
/// of each is in memory, of flows 0.3 MiB.
constexpr std::uint32_t kMostUnsortedRuns = 512;

/// Upper bounds of one run; sorting takes twice as many bytes of memory. A run has at least one
/// block.
struct SortLimits {
  std::size_t rows = std::size_t{1} << 20;
  std::size_t bytes = std::size_t{128} << 20;
  /// Rows of a block of the sorted file; a merge holds one block of each run.
  std::size_t block_rows = 4096;
  /// Most runs of a table in the row log itself. One that has no more is merged from there.
  std::uint32_t unsorted_runs = 256;
};

/// Sorts the rows of every table of `part` up to commit `until` (kLastCommit: the last one) by the
/// table's keys, except where the row log has them in few runs. Writes them to `sorted` (empty:
/// SortedPartPath(part)), a log of the same format with one commit: that one's number and time. A
/// run that continues the previous one in order is joined to it, so a table that was appended in
/// order is one run. Throws FileError, and then leaves no sorted file.
void SortStream(const std::string& part, std::uint64_t until, const SortLimits& limits = {},
                std::string sorted = "");

}  // namespace heddle
