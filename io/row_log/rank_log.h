// SPDX-License-Identifier: GPL-2.0-only
/// Tables that grow while the simulation runs: a log a rank (RESULT.part.rankN), of which the
/// result is made at the end (io/row_log/sort_row_log.h, io/result/merge_row_logs.h) or, after a
/// kill, by `heddle recover`.
///
/// What was committed survives the death of the process (io/row_log/row_log.h). The rows of the
/// merged tables, and so the bytes of their datasets, do not depend on how many ranks there were,
/// which of them a row came from, or when it was appended.
#ifndef HEDDLE_IO_ROW_LOG_RANK_LOG_H_
#define HEDDLE_IO_ROW_LOG_RANK_LOG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"

namespace heddle {

/// Integer columns that order the rows of a table: {"pfc", {"time_ps", "node", "port"}}. Where they
/// are equal, the other columns decide.
using StreamKeys = std::map<std::string, std::vector<std::string>>;

/// One rank's part file. Functions throw FileError, naming it, when the system refuses.
class TableStream final {
 public:
  /// Makes no file yet: the first Append or Commit does, replacing a left-over one.
  TableStream(const std::string& result, std::uint32_t rank, StreamKeys keys);
  ~TableStream();
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;

  /// Goes on with the part file of another run, behind its commit `number`: what follows is cut
  /// away. Before anything is appended. Throws FileError if it cannot be read that far.
  void Continue(std::uint64_t number);

  /// Adds rows, in any order, to the table of this name. The first call of a name makes the table
  /// (with or without rows). Throws InvariantError for a table without keys and for other columns
  /// than before.
  void Append(const Table& rows);
  /// Everything that was appended goes to the operating system, as commit `number` at simulated
  /// time `time`. Numbers ascend.
  void Commit(std::uint64_t number, Time time);
  /// Waits until what was committed is on the disk.
  void Sync();
  /// Nothing can be appended afterwards. Rows behind the last commit are lost.
  void Close();

  /// Whether there is a part file, and its name: RESULT.part.rankN.
  bool started() const { return file_ != nullptr; }
  const std::string& path() const { return path_; }
  /// Bytes of the part file so far.
  std::int64_t bytes() const;
  /// Bytes of its buffers.
  std::size_t memory() const;

 private:
  class File;
  File& Open();

  std::string path_;
  StreamKeys keys_;
  std::unique_ptr<File> file_;
  bool closed_ = false;
};

/// The name of a rank's part file, and of its sorted form.
std::string StreamPartPath(const std::string& result, std::uint32_t rank);
std::string SortedPartPath(const std::string& part);

/// The part files that are there, RESULT.part.rankN, by rank.
std::vector<std::string> FindStreamParts(const std::string& result);

/// Deletes part files and their sorted forms, once the result is closed. Throws FileError for one
/// that cannot be deleted.
void RemoveStreams(const std::vector<std::string>& parts);

}  // namespace heddle

#endif  // HEDDLE_IO_ROW_LOG_RANK_LOG_H_
