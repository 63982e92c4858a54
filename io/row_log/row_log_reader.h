// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a row log (io/row_log/row_log_format.h), whatever became of it.
///
/// The bytes may be anything: reading stops at the first block that is not whole, and nothing
/// behind the last whole commit before it is shown. In memory is at most the largest block.
#ifndef HEDDLE_IO_ROW_LOG_ROW_LOG_READER_H_
#define HEDDLE_IO_ROW_LOG_ROW_LOG_READER_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/row_log/row_log_format.h"

namespace heddle {

/// Stands for the last commit that a log has.
constexpr std::uint64_t kLastCommit = std::numeric_limits<std::uint64_t>::max();

class RowLogReader final {
 public:
  struct Commit {
    std::uint64_t number;
    Time time;
    std::uint64_t end;  ///< offset behind it: a log cut there ends with this commit
  };
  /// A block of rows; where its payload lies.
  struct Block {
    std::uint32_t table;  ///< index in tables()
    std::uint32_t run;
    std::uint64_t rows;
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;
  };

  /// Reads the log up to commit `until`. Throws FileError, naming the file, if it cannot be read,
  /// is no log, or has no such commit. kLastCommit is always there: a log without any is empty.
  explicit RowLogReader(const std::string& path, std::uint64_t until = kLastCommit);
  ~RowLogReader();
  RowLogReader(const RowLogReader&) = delete;
  RowLogReader& operator=(const RowLogReader&) = delete;

  /// Tables and blocks of rows up to that commit, in the order of the log.
  const std::vector<LoggedTable>& tables() const { return tables_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// All whole commits of the log, later ones included, ascending.
  const std::vector<Commit>& commits() const { return commits_; }
  /// The rows of a block. Throws FileError if they can no longer be read as they were.
  Table ReadBlock(const Block& block) const;

  /// Why reading stopped before the end of the file; empty if it did not.
  const std::string& damage() const { return damage_; }
  /// Bytes behind the last whole commit: a torn block, or rows that were never committed.
  std::uint64_t tail_bytes() const;
  const std::string& path() const { return path_; }

 private:
  class Scan;
  void ReadAt(std::uint64_t offset, void* to, std::size_t bytes) const;
  [[noreturn]] void Fail(const std::string& what) const;

  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<LoggedTable> tables_;
  std::vector<Block> blocks_;
  std::vector<Commit> commits_;
  std::string damage_;
  mutable std::vector<char> payload_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_ROW_LOG_ROW_LOG_READER_H_
