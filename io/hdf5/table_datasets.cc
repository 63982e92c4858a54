// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/table_datasets.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "io/hdf5/hdf5_write.h"
#include "io/table/result_format.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

/// Size of a value of the column [byte]; 0 for text.
std::size_t ElementBytes(const Column& column) {
  return std::visit(
      [](const auto& values) -> std::size_t {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        return std::is_arithmetic_v<Value> ? sizeof(Value) : 0;
      },
      column.data);
}

const char* BytesOf(const Column& column) {
  return std::visit([](const auto& values) { return reinterpret_cast<const char*>(values.data()); },
                    column.data);
}

}  // namespace

TableDatasets::TableDatasets(const Hdf5Check& check, hid_t group, const Table& header,
                             std::uint64_t rows, ChunkPool* pool)
    : check_(check),
      rows_(rows),
      chunk_rows_(std::min<std::uint64_t>(rows, kResultChunkRows)),
      pool_(pool) {
  for (const Column& column : header.columns) {
    names_.push_back(column.name);
    columns_.push_back({MakeColumn(check, group, column, rows), ElementBytes(column), {}});
  }
}

void TableDatasets::Append(const Table& block) {
  const std::size_t count = block.columns.empty() ? 0 : RowCount(block.columns.front());
  HEDDLE_EXPECT(count <= rows_ - written_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].element_bytes > 0) {
      AppendNumbers(i, BytesOf(block.columns[i]), count);
    } else {
      steps_.push_back({i, written_, block.columns[i]});
    }
  }
  written_ += count;
  while (!steps_.empty() && (pool_->empty() || pool_->full())) WriteOldest();
}

void TableDatasets::AppendNumbers(std::size_t column, const char* values, std::size_t count) {
  ColumnState& state = columns_[column];
  for (std::uint64_t row = written_; row < written_ + count;) {
    const std::uint64_t inside = row % chunk_rows_;
    const std::uint64_t some = std::min(chunk_rows_ - inside, written_ + count - row);
    if (inside == 0) state.chunk.reserve(chunk_rows_ * state.element_bytes);
    state.chunk.insert(state.chunk.end(), values, values + some * state.element_bytes);
    values += some * state.element_bytes;
    row += some;
    if (inside + some == chunk_rows_) PushChunk(column, row - chunk_rows_);
  }
}

void TableDatasets::PushChunk(std::size_t column, std::uint64_t first) {
  while (pool_->full()) WriteOldest();
  pool_->Push(std::exchange(columns_[column].chunk, {}), columns_[column].element_bytes);
  steps_.push_back({column, first, {}});
}

void TableDatasets::Finish() {
  HEDDLE_INVARIANT(written_ == rows_, "a table has fewer rows than were announced");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ColumnState& state = columns_[i];
    if (state.chunk.empty()) continue;
    // HDF5's chunks are complete: padded with zeros.
    state.chunk.resize(chunk_rows_ * state.element_bytes);
    PushChunk(i, rows_ - rows_ % chunk_rows_);
  }
  while (!steps_.empty()) WriteOldest();
}

void TableDatasets::WriteOldest() {
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  const Hdf5Dataset& dataset = columns_[step.column].dataset;
  if (columns_[step.column].element_bytes == 0) {
    WriteRows(check_, dataset, step.texts, step.first);
    return;
  }
  const std::vector<char> chunk = pool_->Pop();
  const hsize_t first = step.first;
  check_(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, &first, chunk.size(), chunk.data()),
         "write dataset " + names_[step.column]);
}

}  // namespace heddle
