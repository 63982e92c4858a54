// SPDX-License-Identifier: GPL-2.0-only
/// Writer of a result file (HDF5; format: docs/formats/result.md).
///
/// Everything goes to PATH.part, which Close() renames to PATH when it is on the disk: a result
/// under its own name is whole. Equal contents give equal bytes (no time stamps are stored),
/// whoever compresses. One process writes.
#ifndef HEDDLE_IO_RESULT_RESULT_WRITER_H_
#define HEDDLE_IO_RESULT_RESULT_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

class ChunkPool;

/// Destroyed without Close(), it removes the part file. Functions throw FileError when HDF5 or the
/// system refuses.
class ResultWriter final {
 public:
  /// Opens PATH.part; a left-over one is replaced. Refuses a path that cannot become a file, and,
  /// unless `force`, one that exists. `pool` compresses the chunks and outlives the writer; null:
  /// this process does.
  ResultWriter(const std::string& path, bool force, ChunkPool* pool = nullptr);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// A group with one dataset a column, under the table's name ("flows", "topology/links"). Columns
  /// must be equally long; texts must not contain a zero byte.
  void Write(const Table& table);
  /// The same for a table of any length, in memory a block at a time: `header` has its columns,
  /// without values; `next_block` is called until it has returned `rows` rows in all, at least one
  /// a call.
  void WriteBlocks(const Table& header, std::uint64_t rows,
                   const std::function<Table()>& next_block);
  /// Attributes of the root; a name given again replaces the value.
  void WriteAttributes(const std::vector<Attribute>& attributes);
  /// The same of a group of the root ("run"), which is made if it is not there.
  void WriteGroupAttributes(const std::string& group, const std::vector<Attribute>& attributes);
  /// Gives the result its name, with the attribute `complete`: 1, or 0 for what could be rescued of
  /// a run that did not come to its end. Nothing can be written afterwards.
  /// `durable`: waits until it is on the disk, before the new name and after.
  void Close(bool complete = true, bool durable = true);

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_RESULT_WRITER_H_
