// SPDX-License-Identifier: GPL-2.0-only
/// The datasets of one table, filled with rows in blocks.
///
/// A ChunkPool compresses all values, which are written chunk by chunk without HDF5's own filters,
/// because those would use one core only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/chunk_pool.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_write.h"

namespace heddle {

class TableDatasets final {
 public:
  /// Creates datasets of `rows` rows with the columns of `header` in `group`. `text_bytes`: of each
  /// column the bytes of its longest text; any for numbers. `pool` must be empty.
  TableDatasets(const Hdf5Check& check, hid_t group, const Table& header, std::uint64_t rows,
                const std::vector<std::size_t>& text_bytes, ChunkPool* pool);
  /// Empties the pool, in case an error prevented Finish().
  ~TableDatasets() { pool_->Clear(); }
  TableDatasets(const TableDatasets&) = delete;
  TableDatasets& operator=(const TableDatasets&) = delete;

  /// Appends any number of rows. The order of writes to the file depends only on the rows of the
  /// calls. Throws FileError for a text that is longer than announced.
  void Append(const Table& block);
  /// Call after the last row: writes the chunks still in work.
  void Finish();

 private:
  struct ColumnState {
    std::string name;
    ColumnLayout layout;
    Hdf5Dataset dataset;
    std::vector<char> chunk;  ///< rows after the last complete chunk
  };
  /// The oldest chunk of the pool and where it belongs; writes happen in the order of the queue.
  struct Step {
    std::size_t column;
    std::uint64_t first;  ///< first row
  };

  /// Appends `count` values as they lie in memory; passes full chunks on.
  void AppendNumbers(std::size_t column, const char* values, std::size_t count);
  /// Appends texts filled up with zeros. Throws FileError for one that is too long.
  void AppendTexts(std::size_t column, const std::vector<std::string>& texts);
  /// Gives a column's chunk to the pool, and writes old ones first if the pool is full. `first`:
  /// its first row.
  void PushChunk(std::size_t column, std::uint64_t first);
  /// Waits for the oldest chunk of the pool and writes it. Throws FileError.
  void WriteOldest();

  const Hdf5Check& check_;
  std::vector<ColumnState> columns_;
  std::uint64_t rows_;
  std::uint64_t written_ = 0;
  ChunkPool* pool_;
  std::deque<Step> steps_;
};

}  // namespace heddle
