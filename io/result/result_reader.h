// SPDX-License-Identifier: GPL-2.0-only
/// Reader of a result file (HDF5; format: docs/formats/result.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/table/result_format.h"

namespace heddle {

/// Whether a file without a seal (io/hdf5/file_seal.h) is read. libhdf5 may crash on one or read it
/// endlessly, so a process of its own must read it.
enum class SealRule { kRequired, kMayBeMissing };

/// An open result. Functions throw UserError with the file's name for any invalid content.
class ResultReader final {
 public:
  /// Throws for a file that is no result of heddle of this content, is truncated, damaged or
  /// changed, has links that may lead to other files, or has another major format version. Reads
  /// all bytes once.
  explicit ResultReader(const std::string& path, SealRule rule = SealRule::kRequired,
                        ResultContent content = ResultContent::kRun);
  /// Returns what the file is of. Throws UserError as the reader does.
  static ResultContent ContentOf(const std::string& path, SealRule rule = SealRule::kRequired);
  ~ResultReader();
  ResultReader(const ResultReader&) = delete;
  ResultReader& operator=(const ResultReader&) = delete;

  /// Returns the names of all tables, sorted; "topology/links" for a table in a nested group.
  std::vector<std::string> TableNames() const;
  /// Whether the file has the table, even without rows. Lists all tables at each call.
  bool HasTable(const std::string& name) const;
  /// Reads the table as it was written.
  Table ReadTable(const std::string& name) const;
  /// Reads the table's columns without values.
  Table ReadHeader(const std::string& name) const;
  /// Throws UserError if columns differ in length.
  std::uint64_t CountRows(const std::string& name) const;
  /// Reads rows `first` to `first + rows - 1` of the named columns, or of all: for tables larger
  /// than memory. Requires that these rows exist. Blocks of kResultChunkRows rows that begin at a
  /// multiple of it are unpacked once.
  Table ReadRows(const std::string& name, std::uint64_t first, std::uint64_t rows,
                 const std::vector<std::string>& columns = {}) const;
  /// Reads text, integer and floating-point attributes of the root or of a group, sorted by name.
  std::vector<Attribute> ReadAttributes(const std::string& group = "/") const;
  /// Returns the names of groups that contain only groups or nothing, and of datasets in no group,
  /// sorted.
  std::vector<std::string> NamesOutsideTables() const;
  /// Whether the writer closed the result as complete.
  bool complete() const;

 private:
  class File;
  class OpenTable;
  std::unique_ptr<File> file_;
};

/// Calls `visit(const Table&)` for each block of rows; all blocks except the last are as long as a
/// chunk of the file. Throws UserError for a table or a column that is missing.
template <class Visit>
void ForEachBlock(const ResultReader& reader, const std::string& table,
                  const std::vector<std::string>& columns, Visit visit) {
  const std::uint64_t rows = reader.CountRows(table);
  for (std::uint64_t first = 0; first < rows; first += kResultChunkRows) {
    visit(reader.ReadRows(table, first, std::min<std::uint64_t>(kResultChunkRows, rows - first),
                          columns));
  }
}

}  // namespace heddle
