// SPDX-License-Identifier: GPL-2.0-only
#include "io/hdf5/table_datasets.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "io/table/table_rows.h"

namespace heddle {
namespace {

const char* BytesOf(const Column& column) {
  return std::visit([](const auto& values) { return reinterpret_cast<const char*>(values.data()); },
                    column.data);
}

}  // namespace

TableDatasets::TableDatasets(const Hdf5Check& check, hid_t group, const Table& header,
                             std::uint64_t rows, const std::vector<std::size_t>& text_bytes,
                             ChunkPool* pool)
    : check_(check), rows_(rows), pool_(pool) {
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const Column& column = header.columns[i];
    const ColumnLayout layout = LayOut(column, rows, text_bytes.at(i));
    columns_.push_back({column.name, layout, MakeColumn(check, group, column, layout), {}});
  }
}

void TableDatasets::Append(const Table& block) {
  const std::size_t count = block.columns.empty() ? 0 : RowCount(block.columns.front());
  HEDDLE_EXPECT(count <= rows_ - written_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].layout.text) {
      AppendTexts(i, std::get<std::vector<std::string>>(block.columns[i].data));
    } else {
      AppendNumbers(i, BytesOf(block.columns[i]), count);
    }
  }
  written_ += count;
  while (!steps_.empty() && (pool_->empty() || pool_->full())) WriteOldest();
}

void TableDatasets::AppendNumbers(std::size_t column, const char* values, std::size_t count) {
  ColumnState& state = columns_[column];
  const std::uint64_t chunk_rows = state.layout.chunk_rows;
  const std::size_t bytes = state.layout.element_bytes;
  for (std::uint64_t row = written_; row < written_ + count;) {
    const std::uint64_t inside = row % chunk_rows;
    const std::uint64_t some = std::min(chunk_rows - inside, written_ + count - row);
    if (inside == 0) state.chunk.reserve(chunk_rows * bytes);
    state.chunk.insert(state.chunk.end(), values, values + some * bytes);
    values += some * bytes;
    row += some;
    if (inside + some == chunk_rows) PushChunk(column, row - chunk_rows);
  }
}

void TableDatasets::AppendTexts(std::size_t column, const std::vector<std::string>& texts) {
  ColumnState& state = columns_[column];
  const std::uint64_t chunk_rows = state.layout.chunk_rows;
  const std::size_t bytes = state.layout.element_bytes;
  std::uint64_t row = written_;
  for (const std::string& value : texts) {
    HEDDLE_INVARIANT(value.find('\0') == std::string::npos,
                     "a text of a result contains a zero byte");
    if (value.size() > bytes) {
      throw FileError(fmt::format("column {}: a text of {} bytes. Expected: at most {}", state.name,
                                  value.size(), bytes));
    }
    if (state.chunk.empty()) state.chunk.reserve(chunk_rows * bytes);
    state.chunk.insert(state.chunk.end(), value.begin(), value.end());
    state.chunk.resize(state.chunk.size() + bytes - value.size());
    if (++row % chunk_rows == 0) PushChunk(column, row - chunk_rows);
  }
}

void TableDatasets::PushChunk(std::size_t column, std::uint64_t first) {
  while (pool_->full()) WriteOldest();
  const ColumnLayout& layout = columns_[column].layout;
  pool_->Push(std::exchange(columns_[column].chunk, {}), layout.text ? 1 : layout.element_bytes);
  steps_.push_back({column, first});
}

void TableDatasets::Finish() {
  HEDDLE_INVARIANT(written_ == rows_, "a table has fewer rows than were announced");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ColumnState& state = columns_[i];
    if (state.chunk.empty()) continue;
    // HDF5's chunks are complete: padded with zeros.
    state.chunk.resize(state.layout.chunk_rows * state.layout.element_bytes);
    PushChunk(i, rows_ - rows_ % state.layout.chunk_rows);
  }
  while (!steps_.empty()) WriteOldest();
}

void TableDatasets::WriteOldest() {
  const Step step = steps_.front();
  steps_.pop_front();
  const ColumnState& column = columns_[step.column];
  const std::vector<char> chunk = pool_->Pop();
  const hsize_t first = step.first;
  check_(H5Dwrite_chunk(column.dataset.get(), H5P_DEFAULT, 0, &first, chunk.size(), chunk.data()),
         "write dataset " + column.name);
}

}  // namespace heddle
