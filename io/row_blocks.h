// SPDX-License-Identifier: GPL-2.0-only
/// Chosen columns of a table of any length, in memory a block at a time.
#ifndef HEDDLE_IO_ROW_BLOCKS_H_
#define HEDDLE_IO_ROW_BLOCKS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/table.h"
#include "io/result_format.h"
#include "io/result_reader.h"

namespace heddle {

/// Calls `visit(const Table&)` for one block of rows after the other, each as long as a chunk of
/// the file but for the last. Throws UserError for a table or a column that is missing.
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

#endif  // HEDDLE_IO_ROW_BLOCKS_H_
