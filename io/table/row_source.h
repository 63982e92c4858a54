// SPDX-License-Identifier: GPL-2.0-only
/// The rows of one table, in order, in blocks: the output of a merge and the input of a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/table.h"

namespace heddle {

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Returns the columns, without rows.
  virtual const Table& header() const = 0;
  /// Total number of rows.
  virtual std::uint64_t rows() const = 0;
  /// Returns the bytes of the longest text of a column, where the source knows them without reading
  /// its rows.
  virtual std::optional<std::size_t> LongestText(const std::string& /*column*/) const {
    return std::nullopt;
  }
  /// Returns the next rows, at least one; none at the end.
  virtual Table NextBlock() = 0;
};

}  // namespace heddle
