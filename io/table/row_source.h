// SPDX-License-Identifier: GPL-2.0-only
/// The rows of one table, in order, a block at a time: what a merge makes and a result takes.
#ifndef HEDDLE_IO_TABLE_ROW_SOURCE_H_
#define HEDDLE_IO_TABLE_ROW_SOURCE_H_

#include <cstdint>

#include "core/base/table.h"

namespace heddle {

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// The columns, without rows.
  virtual const Table& header() const = 0;
  /// Rows in all.
  virtual std::uint64_t rows() const = 0;
  /// The next rows: kResultChunkRows of them, or what is left; none at the end.
  virtual Table NextBlock() = 0;
};

}  // namespace heddle

#endif  // HEDDLE_IO_TABLE_ROW_SOURCE_H_
