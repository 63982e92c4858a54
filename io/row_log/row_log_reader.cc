// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/row_log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "core/base/check.h"

namespace heddle {

/// One pass over all blocks. Tables and blocks of rows become valid with the commit after them.
class RowLogReader::Scan {
 public:
  Scan(RowLogReader* log, std::uint64_t until, Check check)
      : log_(log), until_(until), check_(check) {}

  void Run() {
    std::uint64_t at = sizeof kRowLogStart;
    while (at < log_->size_) {
      BlockHeader header;
      log_->damage_ = ReadWhole(at, &header);
      if (log_->damage_.empty()) log_->damage_ = Take(at, header);
      if (!log_->damage_.empty()) {
        log_->damage_ += fmt::format(" at byte {}", at);
        return;
      }
      at += sizeof header + header.bytes;
    }
  }

 private:
  /// Reads a block, its payload into payload_ unless that is checked later. Returns a text about
  /// the error, or an empty one.
  std::string ReadWhole(std::uint64_t at, BlockHeader* header) {
    std::uint64_t left = log_->size_ - at;
    if (left < sizeof *header) return "half the head of a block";
    log_->ReadAt(at, header, sizeof *header);
    left -= sizeof *header;
    if (header->magic != kBlockMagic) return "no block";
    // Checked before memory is allocated: a block is not larger than the rest of the file.
    if (header->bytes > left) return "half a block";
    if (check_ == Check::kLater && header->kind == LogBlockKind::kRows) return "";
    log_->payload_.resize(header->bytes);
    log_->ReadAt(at + sizeof *header, log_->payload_.data(), header->bytes);
    return Checksum(*header, log_->payload_.data()) == header->checksum ? "" : "a wrong checksum";
  }

  std::string Take(std::uint64_t at, const BlockHeader& header) {
    switch (header.kind) {
      case LogBlockKind::kTable:
        return TakeTable(header);
      case LogBlockKind::kRows:
        return TakeRows(at, header);
      case LogBlockKind::kCommit:
        return TakeCommit(at, header);
    }
    return "a block of an unknown kind";
  }

  std::string TakeTable(const BlockHeader& header) {
    if (header.table != names_.size() || header.bytes > kMaxTableBytes)
      return "a table out of turn";
    LoggedTable table;
    const std::string wrong = DecodeTable({log_->payload_.data(), header.bytes}, &table);
    if (!wrong.empty()) return "a table with " + wrong;
    if (!names_.insert(table.header.name).second) return "a table for the second time";
    tables_.push_back(std::move(table));
    return "";
  }

  std::string TakeRows(std::uint64_t at, const BlockHeader& header) {
    if (header.table >= names_.size()) return "rows of an unknown table";
    if (header.rows > kMaxBlockRows) return "too many rows in one block";
    blocks_.push_back(
        {header.table, header.run, header.rows, at + sizeof header, header.bytes, header.checksum});
    return "";
  }

  std::string TakeCommit(std::uint64_t at, const BlockHeader& header) {
    CommitPayload payload;
    if (header.bytes != sizeof payload) return "a commit of another size";
    std::memcpy(&payload, log_->payload_.data(), sizeof payload);
    if (payload.number == kLastCommit ||
        (!log_->commits_.empty() && payload.number <= log_->commits_.back().number)) {
      return "a commit out of turn";
    }
    log_->commits_.push_back(
        {payload.number, {payload.time_ps}, at + sizeof header + header.bytes});
    if (payload.number <= until_) {
      std::move(tables_.begin(), tables_.end(), std::back_inserter(log_->tables_));
      log_->blocks_.insert(log_->blocks_.end(), blocks_.begin(), blocks_.end());
    }
    tables_.clear();
    blocks_.clear();
    return "";
  }

  RowLogReader* log_;
  std::uint64_t until_;
  Check check_;
  std::set<std::string> names_;      ///< of all tables so far
  std::vector<LoggedTable> tables_;  ///< since the last commit
  std::vector<Block> blocks_;        ///< since the last commit
};

RowLogReader::RowLogReader(const std::string& path, std::uint64_t until, Check check)
    : path_(path) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (file_ < 0 || fstat(file_, &about) != 0) {
    const std::string why = std::strerror(errno);
    if (file_ >= 0) close(file_);
    Fail("cannot be read (" + why + ")");
  }
  try {
    if (!S_ISREG(about.st_mode)) Fail("is no file");
    size_ = static_cast<std::uint64_t>(about.st_size);
    char start[sizeof kRowLogStart] = {};
    ReadAt(0, start, std::min<std::uint64_t>(sizeof start, size_));
    const std::size_t known = sizeof start - 1;  // all except the version
    // A writer that was killed at once leaves an empty file, or some of the first bytes.
    if (size_ < sizeof start &&
        std::memcmp(start, kRowLogStart, std::min<std::size_t>(size_, known)) == 0) {
      if (size_ > 0) damage_ = "half the first bytes";
    } else if (std::memcmp(start, kRowLogStart, known) != 0) {
      Fail("is no part of a result of heddle");
    } else if (start[known] != kRowLogStart[known]) {
      Fail(fmt::format("is of version {} of the format of row logs, this program reads {}",
                       static_cast<unsigned char>(start[known]),
                       static_cast<unsigned char>(kRowLogStart[known])));
    } else {
      Scan(this, until, check).Run();
    }
    const bool found =
        until == kLastCommit || std::any_of(commits_.begin(), commits_.end(),
                                            [&](const Commit& c) { return c.number == until; });
    if (!found) {
      Fail(fmt::format("has no commit {}{}", until,
                       damage_.empty() ? "" : fmt::format(", but {}", damage_)));
    }
  } catch (...) {
    close(file_);
    throw;
  }
}

RowLogReader::~RowLogReader() { close(file_); }

Table RowLogReader::ReadBlock(const Block& block) const {
  const BlockHeader header{
      kBlockMagic, LogBlockKind::kRows, block.table, block.run, block.rows, block.bytes, 0};
  payload_.resize(block.bytes);
  ReadAt(block.offset, payload_.data(), block.bytes);
  Table rows;
  if (Checksum(header, payload_.data()) != block.checksum)
    Fail("has a block with a wrong checksum");
  if (!DecodeRows(payload_.data(), block.bytes, block.rows, tables_[block.table].header, &rows)) {
    Fail("has a block that does not hold the rows that it counts");
  }
  return rows;
}

std::uint32_t RowLogReader::LastRun(std::uint32_t table) const {
  std::uint32_t run = 0;
  for (const Block& block : blocks_) {
    if (block.table == table) run = std::max(run, block.run);
  }
  return run;
}

std::uint64_t RowLogReader::tail_bytes() const {
  if (size_ < sizeof kRowLogStart) return size_;
  return size_ - (commits_.empty() ? sizeof kRowLogStart : commits_.back().end);
}

void RowLogReader::ReadAt(std::uint64_t offset, void* to, std::size_t bytes) const {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(file_, at, bytes, static_cast<off_t>(offset));
    if (got == 0) Fail("is shorter than it was when it was opened");
    if (got < 0 && errno != EINTR) Fail(fmt::format("cannot be read ({})", std::strerror(errno)));
    if (got < 0) continue;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

void RowLogReader::Fail(const std::string& what) const {
  throw FileError(
      fmt::format("{}: {}. Expected: a row log, which every rank of a run writes beside the result",
                  path_, what));
}

}  // namespace heddle
