// SPDX-License-Identifier: GPL-2.0-only
/// Writer of a result file (HDF5; format: docs/formats/result.md).
///
/// Everything goes to PATH.part, which Close() renames to PATH: a result under its own name is
/// whole. Equal contents give equal bytes (no time stamps are stored). One process writes.
#ifndef HEDDLE_IO_RESULT_WRITER_H_
#define HEDDLE_IO_RESULT_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/table.h"

namespace heddle {

/// Destroyed without Close(), it removes the part file. Functions throw FileError when HDF5 or the
/// system refuses.
class ResultWriter final {
 public:
  /// Opens PATH.part; a left-over one is replaced. Refuses a path that cannot become a file, and,
  /// unless `force`, one that exists.
  ResultWriter(const std::string& path, bool force);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// A group with one dataset a column, under the table's name ("flows", "topology/links"). Columns
  /// must be equally long; texts must not contain a zero byte.
  void Write(const Table& table);
  /// The same for a table of any length, in memory a block at a time: `header` has its columns,
  /// without values; `next_block` is called until it has returned `rows` rows in all, at least one
  /// a call. Blocks of kResultChunkRows rows are compressed once.
  void WriteBlocks(const Table& header, std::uint64_t rows,
                   const std::function<Table()>& next_block);
  /// Attributes of the root; a name given again replaces the value.
  void WriteAttributes(const std::vector<Attribute>& attributes);
  /// Marks the result complete and gives it its name. Nothing can be written afterwards.
  void Close();

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// Whether HDF5 holds a file that it could not close, for want of room: it then crashes when MPI or the process ends in order
/// (seen with 1.10.8), so the process has to end without.
bool Hdf5CannotEnd();

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_WRITER_H_
