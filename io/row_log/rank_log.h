// SPDX-License-Identifier: GPL-2.0-only
/// Tables that grow during the simulation: a row log for each rank (RESULT.part.rankN). The result
/// is made from the logs at the end (io/row_log/sort_row_log.h, io/result/merge_row_logs.h) or,
/// after a kill, by `heddle recover`.
///
/// Committed rows survive the death of the process (io/row_log/row_log.h). The rows of the merged
/// tables, and so the bytes of their datasets, do not depend on the number of ranks, on the rank
/// that wrote a row, or on the time of writing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"

namespace heddle {

/// Integer columns by which a table's rows are sorted: {"pfc", {"time_ps", "node", "port"}}. Rows
/// with equal keys are sorted by the other columns.
using StreamKeys = std::map<std::string, std::vector<std::string>>;

/// One rank's row log. Functions throw FileError with the file's name on failure.
class TableStream final {
 public:
  /// Creates no file yet: the first Append or Commit does, replacing a left-over one.
  TableStream(const std::string& result, std::uint32_t rank, StreamKeys keys);
  ~TableStream();
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;

  /// Continues the row log of another run after its commit `number`; later rows are truncated. Call
  /// before anything is appended. Throws FileError if the log cannot be read up to that commit.
  void Continue(std::uint64_t number);

  /// Adds rows, in any order, to the table of this name. The first call with a name creates the
  /// table (with or without rows). Throws InvariantError for a table without keys, and for columns
  /// other than before.
  void Append(const Table& rows);
  /// Hands all appended rows to the operating system, as commit `number` at simulated time `time`.
  /// Numbers ascend.
  void Commit(std::uint64_t number, Time time);
  /// Waits until the commits are on the disk.
  void Sync();
  /// Closes the log; nothing can be appended afterwards. Rows after the last commit are lost.
  void Close();

  /// Whether this process has opened the row log.
  bool started() const { return file_ != nullptr; }
  const std::string& path() const { return path_; }  ///< RESULT.part.rankN
  /// Returns the bytes of the row log so far.
  std::int64_t bytes() const;
  /// Returns the bytes of its buffers in memory.
  std::size_t memory() const;

 private:
  class File;
  /// Creates the file at the first call. Throws InvariantError after Close().
  File& Open();

  std::string path_;
  StreamKeys keys_;
  std::unique_ptr<File> file_;
  bool closed_ = false;
};

/// Returns the name of a rank's row log, RESULT.part.rankN.
std::string StreamPartPath(const std::string& result, std::uint32_t rank);
std::string SortedPartPath(const std::string& part);  ///< the name of its sorted form

/// Returns the existing row logs, RESULT.part.rankN, by rank.
std::vector<std::string> FindStreamParts(const std::string& result);

/// Deletes row logs and their sorted forms, after the result is closed. Throws FileError for a file
/// that cannot be deleted.
void RemoveStreams(const std::vector<std::string>& parts);

}  // namespace heddle
