// SPDX-License-Identifier: GPL-2.0-only
/// Writer of a row log (io/row_log/row_log_format.h): append-only, each block with a checksum.
///
/// A commit hands all earlier blocks to the operating system, so they survive the death of this
/// process by any cause; incomplete blocks after it are detected and ignored. A commit is not
/// synced to the disk: after a power failure commits may be missing, which a new run restores,
/// while a sync at every commit would slow every run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "io/row_log/row_log_format.h"

namespace heddle {

/// Functions throw FileError with the file, the system's reason and the bytes that found no space;
/// after an error nothing more can be written.
class RowLogWriter final {
 public:
  /// Creates the file, replacing an existing one. Its mode is 0666 less the umask.
  explicit RowLogWriter(std::string path);
  /// Continues an existing log of `tables` tables after its commit `number`, which ends at byte
  /// `end`; later blocks are truncated.
  RowLogWriter(std::string path, std::uint64_t end, std::uint32_t tables, std::uint64_t number);
  /// Blocks after the last commit may be lost.
  ~RowLogWriter();
  RowLogWriter(const RowLogWriter&) = delete;
  RowLogWriter& operator=(const RowLogWriter&) = delete;

  /// Describes a table; returns its number for AddRows.
  std::uint32_t AddTable(const LoggedTable& table);
  /// Adds rows, in blocks of at most `block_rows` (at most kMaxBlockRows).
  void AddRows(std::uint32_t table, const Table& rows, std::uint32_t run, std::size_t block_rows);
  /// Writes a commit, and hands everything up to it to the operating system. Numbers ascend.
  void Commit(std::uint64_t number, Time time);
  /// Waits until the commits would survive a crash of the machine.
  void Sync();
  /// Closes the file without a commit.
  void Close();

  /// Returns the bytes of the log so far.
  std::int64_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }  ///< as given
  /// Returns the bytes of its buffers, as far as a log of this length can have touched them.
  std::size_t memory() const {
    return std::min(buffer_.capacity(), static_cast<std::size_t>(bytes_)) + payload_.capacity();
  }

 private:
  /// Appends a block with its checksum; flushes if the buffer is full. header.checksum is ignored.
  void PutBlock(BlockHeader header, const void* payload);
  /// Appends to the buffer. Throws InvariantError after Close() or an error.
  void Put(const void* data, std::size_t bytes);
  /// Hands the buffer to the operating system. Throws FileError.
  void Flush();
  /// Throws if the file no longer has its name, because its rows could not be found.
  void CheckName() const;
  /// Closes the file and throws FileError with errno's text. `bytes`: that had no room; 0: unknown.
  [[noreturn]] void Fail(const std::string& action, std::size_t bytes);

  std::string path_;
  int file_ = -1;
  std::vector<char> buffer_;   ///< not yet handed to the operating system
  std::vector<char> payload_;  ///< of the current block
  std::int64_t bytes_ = 0;
  std::uint32_t tables_ = 0;
  bool committed_ = false;
  std::uint64_t last_commit_ = 0;
};

}  // namespace heddle
