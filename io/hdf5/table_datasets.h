// SPDX-License-Identifier: GPL-2.0-only
/// The datasets of one table, filled with rows in blocks.
///
/// A ChunkPool compresses numbers, which are written chunk by chunk without HDF5's own filters,
/// because those would use one core only. Texts, which are in HDF5's heaps, are written through
/// HDF5.
#ifndef HEDDLE_IO_HDF5_TABLE_DATASETS_H_
#define HEDDLE_IO_HDF5_TABLE_DATASETS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/table.h"
#include "io/hdf5/chunk_pool.h"
#include "io/hdf5/hdf5_handle.h"

namespace heddle {

class TableDatasets final {
 public:
  /// Creates datasets of `rows` rows with the columns of `header` in `group`. `pool` must be empty.
  TableDatasets(const Hdf5Check& check, hid_t group, const Table& header, std::uint64_t rows,
                ChunkPool* pool);
  /// Empties the pool, in case an error prevented Finish().
  ~TableDatasets() { pool_->Clear(); }
  TableDatasets(const TableDatasets&) = delete;
  TableDatasets& operator=(const TableDatasets&) = delete;

  /// Appends any number of rows. The order of writes to the file depends only on the rows of the
  /// calls.
  void Append(const Table& block);
  /// Call after the last row: writes the chunks still in work.
  void Finish();

 private:
  struct ColumnState {
    Hdf5Dataset dataset;
    std::size_t element_bytes;  ///< 0: text
    std::vector<char> chunk;    ///< rows after the last complete chunk
  };
  /// A write to the file; writes happen in the order of the queue.
  struct Step {
    std::size_t column;
    std::uint64_t first;  ///< first row
    Column texts;         ///< texts to write; none: write the oldest chunk of the pool
  };

  void AppendNumbers(std::size_t column, const char* values, std::size_t count);
  void PushChunk(std::size_t column, std::uint64_t first);
  void WriteOldest();

  const Hdf5Check& check_;
  std::vector<std::string> names_;
  std::vector<ColumnState> columns_;
  std::uint64_t rows_;
  std::uint64_t chunk_rows_;
  std::uint64_t written_ = 0;
  ChunkPool* pool_;
  std::deque<Step> steps_;
};

}  // namespace heddle

#endif  // HEDDLE_IO_HDF5_TABLE_DATASETS_H_
