// SPDX-License-Identifier: GPL-2.0-only
/// The datasets of one table, filled with rows that come in blocks.
///
/// Numbers are compressed by a ChunkPool and written chunk by chunk, past HDF5's own filters, which
/// would use one core only; texts, which lie in HDF5's heaps, go through HDF5.
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
  /// Datasets of `rows` rows with the columns of `header` in `group`. `pool` is empty.
  TableDatasets(const Hdf5Check& check, hid_t group, const Table& header, std::uint64_t rows,
                ChunkPool* pool);
  /// Without Finish(), after an error, leaves the pool empty.
  ~TableDatasets() { pool_->Clear(); }
  TableDatasets(const TableDatasets&) = delete;
  TableDatasets& operator=(const TableDatasets&) = delete;

  /// The next rows, any number of them. The order of writes to the file depends on the rows of the
  /// calls only.
  void Append(const Table& block);
  /// After the last row: writes what is still in work.
  void Finish();

 private:
  struct ColumnState {
    Hdf5Dataset dataset;
    std::size_t element_bytes;  ///< 0: text
    std::vector<char> chunk;    ///< of the rows behind the last whole chunk
  };
  /// A write to the file, in the order of the queue.
  struct Step {
    std::size_t column;
    std::uint64_t first;  ///< row
    Column texts;         ///< none: the oldest chunk of the pool
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
