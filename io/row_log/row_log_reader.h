// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a row log (io/row_log/row_log_format.h), complete or damaged.
///
/// The file may contain any bytes: reading stops at the first incomplete block, and blocks after
/// the last complete commit before it are ignored. Holds at most the largest block in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/row_log/row_log_format.h"

namespace heddle {

/// Stands for the last commit of a log.
constexpr std::uint64_t kLastCommit = std::numeric_limits<std::uint64_t>::max();

class RowLogReader final {
 public:
  struct Commit {
    std::uint64_t number;
    Time time;
    std::uint64_t end;  ///< offset after the commit: a log truncated there ends with it
  };
  /// A block of rows; the offset of its payload.
  struct Block {
    std::uint32_t table;  ///< index in tables()
    std::uint32_t run;
    std::uint64_t rows;
    std::uint64_t offset;
    std::uint64_t bytes;
    std::uint64_t checksum;
  };

  enum class Check { kNow, kLater };

  /// Reads the log up to commit `until`. Throws FileError with the file's name if it cannot be
  /// read, is no log, or has no such commit. kLastCommit never fails: a log without commits counts
  /// as empty.
  /// `check`: whether rows are read here, to find the first damaged block, or by ReadBlock() only.
  explicit RowLogReader(const std::string& path, std::uint64_t until = kLastCommit,
                        Check check = Check::kNow);
  ~RowLogReader();
  RowLogReader(const RowLogReader&) = delete;
  RowLogReader& operator=(const RowLogReader&) = delete;

  /// Returns the tables up to commit `until`, in the order of the log.
  const std::vector<LoggedTable>& tables() const { return tables_; }
  const std::vector<Block>& blocks() const { return blocks_; }  ///< likewise, of rows
  /// Returns the largest number of a run among the blocks of a table; 0: none is sorted.
  std::uint32_t LastRun(std::uint32_t table) const;
  /// Returns all complete commits of the log, later ones included, ascending.
  const std::vector<Commit>& commits() const { return commits_; }
  /// Reads the rows of a block. Throws FileError if they are damaged.
  Table ReadBlock(const Block& block) const;

  /// Returns the reason why reading stopped before the end of the file; empty if it did not.
  const std::string& damage() const { return damage_; }
  /// Returns the bytes after the last complete commit: an incomplete block, or rows that were never
  /// committed.
  std::uint64_t tail_bytes() const;
  const std::string& path() const { return path_; }  ///< as given

 private:
  class Scan;
  /// Reads exactly `bytes` bytes. Throws FileError, also if the file became shorter.
  void ReadAt(std::uint64_t offset, void* to, std::size_t bytes) const;
  [[noreturn]] void Fail(const std::string& what) const;  ///< FileError "PATH what"

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
