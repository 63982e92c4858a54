// SPDX-License-Identifier: GPL-2.0-only
/// Writer of a result file (HDF5; format: docs/formats/result.md).
///
/// Everything is written to PATH.part, which Close() seals (io/hdf5/file_seal.h) and renames to
/// PATH once it is on the disk: a result under its final name is complete. Equal contents give
/// equal bytes (no time stamps are stored), on whichever rank chunks are compressed. One process
/// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/table/result_format.h"

namespace heddle {

class ChunkPool;

/// Removes PATH.part if it is destroyed without Close(). Functions throw FileError if HDF5 or the
/// system fails.
class ResultWriter final {
 public:
  /// Opens PATH.part, replacing a left-over one. Throws for a path that cannot become a file and,
  /// unless `force`, for one that exists. `pool` compresses the chunks and outlives the writer;
  /// null: this process compresses.
  ResultWriter(const std::string& path, bool force, ChunkPool* pool = nullptr,
               ResultContent content = ResultContent::kRun);
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  /// Writes a group with one dataset for each column, under the table's name ("flows",
  /// "topology/links"). Columns must be equally long; texts must not contain a zero byte.
  void Write(const Table& table);
  /// Writes the same for a table of any length, with one block in memory: `header` has the columns
  /// without values; `text_bytes` says of each column how many bytes its longest text has (0 for
  /// numbers); `next_block` is called until it has returned `rows` rows in all, at least one in
  /// each call.
  void WriteBlocks(const Table& header, std::uint64_t rows,
                   const std::vector<std::size_t>& text_bytes,
                   const std::function<Table()>& next_block);
  /// Writes the attributes of the root; a name given again replaces the value.
  void WriteAttributes(const std::vector<Attribute>& attributes);
  /// Writes the same for a group of the root ("run"), which is created if missing.
  void WriteGroupAttributes(const std::string& group, const std::vector<Attribute>& attributes);
  /// Gives the result its final name, with the attribute `complete`: 1, or 0 if it was recovered
  /// from a run that did not end. Nothing can be written afterwards. `durable`: waits until the
  /// file is on the disk, before renaming and after.
  void Close(bool complete = true, bool durable = true);

 private:
  class File;
  std::unique_ptr<File> file_;
};

}  // namespace heddle
