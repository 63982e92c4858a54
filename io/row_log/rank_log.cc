// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/rank_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/check.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/row_log/run_writer.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Rows of a block: enough to make the header's cost negligible, few enough for the merge, which
/// holds a block of every run.
constexpr std::size_t kBlockRows = 2048;

/// Finds the rank in the name of a file beside the result; false if the file is no row log.
bool ParsePartName(const std::string& name, const std::string& prefix, std::uint32_t* rank) {
  if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) return false;
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, *rank);
  return error == std::errc() && at == end && name == prefix + std::to_string(*rank);
}

}  // namespace

/// The open row log.
class TableStream::File {
 public:
  explicit File(const std::string& path) : log_(path) {}
  File(const RowLogReader& known, const RowLogReader::Commit& last)
      : log_(known.path(), last.end, static_cast<std::uint32_t>(known.tables().size()),
             last.number) {
    for (std::uint32_t number = 0; number < known.tables().size(); ++number) {
      const LoggedTable& table = known.tables()[number];
      tables_.try_emplace(table.header.name, table, number, known.LastRun(number), kBlockRows);
    }
  }

  void Append(const Table& rows, const std::vector<std::string>& keys) {
    auto table = tables_.find(rows.name);
    if (table == tables_.end()) {
      LoggedTable described{WithoutRows(rows), keys};
      CheckKeys(described.header, keys);
      const std::uint32_t number = log_.AddTable(described);
      table = tables_.try_emplace(rows.name, std::move(described), number, 0u, kBlockRows).first;
    }
    CheckSameColumns(table->second.header(), rows);
    table->second.Append(rows, &log_);
  }

  RowLogWriter& log() { return log_; }

 private:
  RowLogWriter log_;
  std::map<std::string, RunWriter> tables_;
};

TableStream::TableStream(const std::string& result, std::uint32_t rank, StreamKeys keys)
    : path_(StreamPartPath(result, rank)), keys_(std::move(keys)) {}

TableStream::~TableStream() = default;

TableStream::File& TableStream::Open() {
  HEDDLE_INVARIANT(!closed_, path_ + ": a call after the row log was closed");
  if (file_ == nullptr) file_ = std::make_unique<File>(path_);
  return *file_;
}

void TableStream::Continue(std::uint64_t number) {
  HEDDLE_INVARIANT(file_ == nullptr, path_ + " is open already");
  const RowLogReader known(path_, number);
  for (const RowLogReader::Commit& commit : known.commits()) {
    if (commit.number == number) file_ = std::make_unique<File>(known, commit);
  }
}

void TableStream::Append(const Table& rows) {
  const auto keys = keys_.find(rows.name);
  HEDDLE_INVARIANT(keys != keys_.end() && !keys->second.empty() && !rows.columns.empty(),
                   "table " + rows.name + " has no columns, or no keys that order its rows");
  Open().Append(rows, keys->second);
}

void TableStream::Commit(std::uint64_t number, Time time) { Open().log().Commit(number, time); }

void TableStream::Sync() {
  if (file_ != nullptr && !closed_) file_->log().Sync();
}

void TableStream::Close() {
  if (file_ != nullptr && !closed_) file_->log().Close();
  closed_ = true;
}

std::int64_t TableStream::bytes() const { return file_ == nullptr ? 0 : file_->log().bytes(); }

std::size_t TableStream::memory() const { return file_ == nullptr ? 0 : file_->log().memory(); }

std::string StreamPartPath(const std::string& result, std::uint32_t rank) {
  return fmt::format("{}.part.rank{}", result, rank);
}

std::string SortedPartPath(const std::string& part) { return part + ".sorted"; }

std::vector<std::string> FindStreamParts(const std::string& result) {
  const std::filesystem::path path(result);
  const std::string prefix = path.filename().string() + ".part.rank";
  std::map<std::uint32_t, std::string> parts;
  std::error_code error;
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    std::uint32_t rank = 0;
    if (ParsePartName(at->path().filename().string(), prefix, &rank)) {
      parts[rank] = StreamPartPath(result, rank);
    }
  }
  std::vector<std::string> found;
  for (const auto& [rank, part] : parts) found.push_back(part);
  return found;
}

void RemoveStreams(const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    std::remove(SortedPartPath(part).c_str());
    if (std::remove(part.c_str()) != 0) {
      throw FileError(
          fmt::format("{}: cannot be deleted ({}). The result is whole; delete it by hand", part,
                      std::strerror(errno)));
    }
  }
}

}  // namespace heddle
