// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/row_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/system/new_file.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

RowLogWriter::RowLogWriter(std::string path) : path_(std::move(path)) {
  file_ = MakeNewFile(path_);
  if (file_ < 0) {
    throw FileError(
        fmt::format("{}: cannot be made ({}). Check the directory, or give another path", path_,
                    std::strerror(errno)));
  }
  buffer_.reserve(2 * kBufferBytes);
  Put(kRowLogStart, sizeof kRowLogStart);
}

RowLogWriter::RowLogWriter(std::string path, std::uint64_t end, std::uint32_t tables,
                           std::uint64_t number)
    : path_(std::move(path)),
      bytes_(static_cast<std::int64_t>(end)),
      tables_(tables),
      committed_(true),
      last_commit_(number) {
  do {
    file_ = open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  } while (file_ < 0 && errno == EINTR);
  const auto at = static_cast<off_t>(end);
  if (file_ < 0 || ftruncate(file_, at) != 0 || lseek(file_, at, SEEK_SET) != at)
    Fail("continued", 0);
  buffer_.reserve(2 * kBufferBytes);
}

RowLogWriter::~RowLogWriter() {
  if (file_ >= 0) close(file_);
}

std::uint32_t RowLogWriter::AddTable(const LoggedTable& table) {
  const std::string text = EncodeTable(table);
  HEDDLE_INVARIANT(text.size() <= kMaxTableBytes,
                   "the description of table " + table.header.name + " is too long for a log");
  PutBlock({kBlockMagic, LogBlockKind::kTable, tables_, 0, 0, text.size(), 0}, text.data());
  return tables_++;
}

void RowLogWriter::AddRows(std::uint32_t table, const Table& rows, std::uint32_t run,
                           std::size_t block_rows) {
  HEDDLE_EXPECT(table < tables_ && block_rows > 0 && block_rows <= kMaxBlockRows);
  const std::size_t count = CheckedRows(rows);
  for (std::size_t first = 0; first < count; first += block_rows) {
    const std::size_t some = std::min(block_rows, count - first);
    payload_.clear();
    EncodeRows(rows, first, some, &payload_);
    PutBlock({kBlockMagic, LogBlockKind::kRows, table, run, some, payload_.size(), 0},
             payload_.data());
  }
}

void RowLogWriter::Commit(std::uint64_t number, Time time) {
  HEDDLE_INVARIANT(
      !committed_ || number > last_commit_,
      fmt::format("commit {} of {} comes after commit {}", number, path_, last_commit_));
  const CommitPayload payload{number, time.ps};
  PutBlock({kBlockMagic, LogBlockKind::kCommit, 0, 0, 0, sizeof payload, 0}, &payload);
  Flush();
  CheckName();
  committed_ = true;
  last_commit_ = number;
}

void RowLogWriter::Sync() {
  // After an error the contents of the file are unknown: nothing more may be added, as after an
  // error of write().
  if (file_ >= 0 && fdatasync(file_) != 0) Fail("brought to the disk", 0);
}

void RowLogWriter::Close() {
  if (file_ < 0) return;
  const int closed = close(std::exchange(file_, -1));
  // EINTR: Linux has closed the file nevertheless.
  if (closed != 0 && errno != EINTR) Fail("closed", 0);
}

void RowLogWriter::PutBlock(BlockHeader header, const void* payload) {
  header.checksum = Checksum(header, payload);
  Put(&header, sizeof header);
  Put(payload, header.bytes);
  if (buffer_.size() >= kBufferBytes) Flush();
}

void RowLogWriter::Put(const void* data, std::size_t bytes) {
  HEDDLE_INVARIANT(file_ >= 0, path_ + ": rows come after it was closed, or after an error");
  const char* from = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), from, from + bytes);
  bytes_ += static_cast<std::int64_t>(bytes);
}

void RowLogWriter::Flush() {
  for (std::size_t at = 0; at < buffer_.size();) {
    const ssize_t written = write(file_, buffer_.data() + at, buffer_.size() - at);
    if (written > 0) {
      at += static_cast<std::size_t>(written);
    } else if (written == 0) {
      errno = ENOSPC;  // no known system does this, but an endless loop would be worse
      Fail("written", buffer_.size() - at);
    } else if (errno != EINTR) {
      Fail("written", buffer_.size() - at);
    }
  }
  buffer_.clear();
}

void RowLogWriter::CheckName() const {
  struct stat named, open;
  if (stat(path_.c_str(), &named) == 0 && fstat(file_, &open) == 0 && named.st_ino == open.st_ino &&
      named.st_dev == open.st_dev) {
    return;
  }
  throw FileError(
      fmt::format("{}: was deleted or moved during the run. The result will lack its rows, unless "
                  "the file exists elsewhere",
                  path_));
}

void RowLogWriter::Fail(const std::string& action, std::size_t bytes) {
  const std::string why = std::strerror(errno);
  if (file_ >= 0) close(std::exchange(file_, -1));
  throw FileError(fmt::format(
      "{}: cannot be {} ({}){}. {} Check the free space, quotas and limits, or give another path",
      path_, action, why, bytes > 0 ? fmt::format(": {} bytes had no room", bytes) : "",
      committed_ ? fmt::format("Whole up to commit {}.", last_commit_)
                 : "Nothing of it was committed."));
}

}  // namespace heddle
