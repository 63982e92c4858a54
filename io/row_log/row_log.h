// SPDX-License-Identifier: GPL-2.0-only
/// Writer of a row log (io/row_log/row_log_format.h): append only, each block with a checksum.
///
/// A commit hands everything before it to the operating system, so it survives the death of this
/// process, whatever kills it; half-written blocks behind it are recognised and left out. It is not
/// synced to the disk: a machine that loses power may lose commits, which a new run brings back,
/// while waiting for the disk at every commit would cost every run.
#ifndef HEDDLE_IO_ROW_LOG_ROW_LOG_H_
#define HEDDLE_IO_ROW_LOG_ROW_LOG_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/row_log/row_log_format.h"

namespace heddle {

/// Functions throw FileError, naming the file, the system's reason and how many bytes had no room;
/// after one nothing more can be written.
class RowLogWriter final {
 public:
  /// Makes the file, replacing one that is there. Its mode is 0666 less the umask.
  explicit RowLogWriter(std::string path);
  /// Goes on with a log that is there, of `tables` tables, behind its commit `number`, which ends
  /// at byte `end`: what follows is cut away.
  RowLogWriter(std::string path, std::uint64_t end, std::uint32_t tables, std::uint64_t number);
  /// What is behind the last commit may be lost.
  ~RowLogWriter();
  RowLogWriter(const RowLogWriter&) = delete;
  RowLogWriter& operator=(const RowLogWriter&) = delete;

  /// Describes a table; returns its number, which AddRows takes.
  std::uint32_t AddTable(const LoggedTable& table);
  /// Adds rows, in blocks of at most `block_rows` (at most kMaxBlockRows).
  void AddRows(std::uint32_t table, const Table& rows, std::uint32_t run, std::size_t block_rows);
  /// A commit, and everything up to it to the operating system. Numbers ascend.
  void Commit(std::uint64_t number, Time time);
  /// Waits until what was committed would outlive a crash of the machine.
  void Sync();
  /// Closes the file without a commit.
  void Close();

  /// Bytes of the log so far.
  std::int64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }
  /// Bytes of its buffers; of what was reserved, that which a log of this length can have touched.
  std::size_t memory() const {
    return std::min(buffer_.capacity(), static_cast<std::size_t>(bytes_)) + payload_.capacity();
  }

 private:
  void PutBlock(BlockHeader header, const void* payload);
  void Put(const void* data, std::size_t bytes);
  void Flush();
  /// Throws if the file is not under its name any more, so that nobody would find what is written
  /// to it.
  void CheckName() const;
  [[noreturn]] void Fail(const std::string& action, std::size_t bytes);

  std::string path_;
  int file_ = -1;
  std::vector<char> buffer_;   ///< not yet with the operating system
  std::vector<char> payload_;  ///< of the block in work
  std::int64_t bytes_ = 0;
  std::uint32_t tables_ = 0;
  bool committed_ = false;
  std::uint64_t last_commit_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_IO_ROW_LOG_ROW_LOG_H_
