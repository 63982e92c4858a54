// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/merge_row_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/records/collective_rows.h"
#include "io/row_log/collective_parts.h"
#include "io/row_log/flow_arrivals.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/row_log/table_merge.h"
#include "io/schema/result_schema.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// An error during the merge of row logs.
class MergeError : public FileError {
 public:
  MergeError(const FileError& error, std::uint64_t bytes_left)
      : FileError(error.what()), bytes_left_(bytes_left) {}
  /// Bytes of the rows not yet merged, before compression.
  std::uint64_t bytes_left() const { return bytes_left_; }

 private:
  std::uint64_t bytes_left_;
};

/// RESULT of "RESULT.part.rankN".
std::string ResultOf(const std::string& part) { return part.substr(0, part.rfind(".part.rank")); }

[[noreturn]] void FailWithParts(const FileError& error, const std::vector<std::string>& parts,
                                std::uint64_t bytes) {
  for (const std::string& part : parts) std::remove(SortedPartPath(part).c_str());
  throw FileError(fmt::format(
      "{}. The rows that were still to be written are about {} bytes before "
      "compression. They stay in {}{}: `heddle recover {} -o OTHER` makes the result "
      "of them, also on another disk",
      error.what(), bytes, parts.front(),
      parts.size() == 1 ? "" : fmt::format(" to {}", parts.back()), ResultOf(parts.front())));
}

std::uint64_t SizeOf(const std::vector<std::string>& paths) {
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (!error) bytes += size;
  }
  return bytes;
}

/// The rows of all row logs, in sorted runs.
class SortedParts {
 public:
  SortedParts(const std::vector<std::string>& parts, const std::vector<std::string>& sorted,
              std::uint64_t until, const Table* operations)
      : operations_(operations) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const RowLogReader& log = Open(sorted[i]);
      if (log.commits().empty() || !log.damage().empty() ||
          (until != kLastCommit && log.commits().back().number != until)) {
        throw FileError(fmt::format("{}: not sorted up to the end of the run{}", log.path(),
                                    log.damage().empty() ? "" : " (" + log.damage() + ")"));
      }
      for (const LoggedTable& table : log.tables()) Add(log, table.header.name);
      const RowLogReader& part = Open(parts[i], until);
      for (const LoggedTable& table : part.tables()) {
        if (!HasTable(log, table.header.name)) Add(part, table.header.name);
      }
    }
  }

  /// The names of all tables, ascending.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, logs] : logs_of_) names.push_back(name);
    return names;
  }
  /// Bytes of the rows not yet read.
  std::uint64_t bytes_left() const { return bytes_ - read_; }

  std::unique_ptr<RowSource> Rows(const std::string& table) {
    if (table == kCollectivePartTable) return Collectives();
    auto rows = Merge(table, &read_);
    if (table != kFlowTable || logs_of_.count(kArrivalTable) == 0) return rows;
    return JoinArrivals(std::move(rows), Merge(kArrivalTable, &read_));
  }
  /// The rows as they are in the logs, which are read once more for it.
  std::unique_ptr<RowSource> RowsAgain(const std::string& table) { return Merge(table, &counted_); }

 private:
  const RowLogReader& Open(const std::string& path, std::uint64_t until = kLastCommit) {
    logs_.push_back(std::make_unique<RowLogReader>(path, until, RowLogReader::Check::kLater));
    return *logs_.back();
  }

  static bool HasTable(const RowLogReader& log, const std::string& name) {
    return std::any_of(log.tables().begin(), log.tables().end(),
                       [&](const LoggedTable& table) { return table.header.name == name; });
  }
  /// The table's rows are read from this log.
  void Add(const RowLogReader& log, const std::string& name) {
    logs_of_[name].push_back(&log);
    for (const RowLogReader::Block& block : log.blocks()) {
      if (log.tables()[block.table].header.name == name) bytes_ += block.bytes;
    }
  }

  std::unique_ptr<RowSource> Collectives() {
    if (operations_ == nullptr) {
      throw FileError(
          "the row logs have collectives, and there is no table operations. Expected: the totals "
          "of the same run");
    }
    return JoinCollectiveParts(RowsAgain(kCollectivePartTable), Merge(kCollectivePartTable, &read_),
                               *operations_);
  }

  std::unique_ptr<RowSource> Merge(const std::string& table, std::uint64_t* read) const {
    return std::make_unique<TableMerge>(logs_of_.at(table), table, read);
  }

  std::vector<std::unique_ptr<RowLogReader>> logs_;
  std::map<std::string, std::vector<const RowLogReader*>> logs_of_;  ///< by table
  std::uint64_t bytes_ = 0, read_ = 0;
  std::uint64_t counted_ = 0;  ///< bytes that were read to count rows, and are read again
  const Table* operations_;
};

/// Bytes of the longest text of each column: by the words that the schema allows, or as the source
/// says, or by reading all rows of `again`.
std::vector<std::size_t> TextBytes(const RowSource& rows,
                                   const std::function<std::unique_ptr<RowSource>()>& again) {
  const Table& header = rows.header();
  const TableSchema* schema = FindTableSchema(header.name);
  std::vector<std::size_t> longest(header.columns.size(), 0);
  bool known = true;
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const Column& column = header.columns[i];
    if (!std::holds_alternative<std::vector<std::string>>(column.data)) continue;
    const ColumnSchema* of = schema == nullptr ? nullptr : FindColumnSchema(*schema, column.name);
    const auto told = rows.LongestText(column.name);
    known = known && (told || (of != nullptr && of->values == Values::kWord));
    longest[i] = told.value_or(0);
    if (of == nullptr) continue;
    for (const std::string& word : of->words) longest[i] = std::max(longest[i], word.size());
  }
  if (known) return longest;
  const std::unique_ptr<RowSource> source = again();
  for (Table block = source->NextBlock(); CheckedRows(block) > 0; block = source->NextBlock()) {
    const std::vector<std::size_t> here = LongestTexts(block);
    for (std::size_t i = 0; i < here.size(); ++i) longest[i] = std::max(longest[i], here[i]);
  }
  return longest;
}

}  // namespace

void MergeStreams(const std::vector<std::string>& parts, std::uint64_t until, ResultWriter* result,
                  std::vector<std::string> sorted, const MergeOptions& options) {
  if (sorted.empty()) {
    for (const std::string& part : parts) sorted.push_back(SortedPartPath(part));
  }
  HEDDLE_EXPECT(sorted.size() == parts.size());
  std::unique_ptr<SortedParts> opened;
  try {
    opened = std::make_unique<SortedParts>(parts, sorted, until, options.operations);
    for (const std::string& table : opened->Names()) {
      if (table == kArrivalTable) continue;
      const std::unique_ptr<RowSource> rows = opened->Rows(table);
      const auto next = [&] {
        Table block = rows->NextBlock();
        if (options.watch) options.watch(block);
        return block;
      };
      result->WriteBlocks(rows->header(), rows->rows(),
                          TextBytes(*rows, [&] { return opened->RowsAgain(table); }), next);
    }
  } catch (const FileError& error) {
    throw MergeError(error, opened == nullptr ? SizeOf(parts) : opened->bytes_left());
  }
}

void WithPartsKept(const std::vector<std::string>& parts, const std::function<void()>& work) {
  try {
    work();
  } catch (const MergeError& error) {
    FailWithParts(error, parts, error.bytes_left());
  } catch (const FileError& error) {
    if (parts.empty()) throw;
    FailWithParts(error, parts, SizeOf(parts));
  }
}

}  // namespace heddle
