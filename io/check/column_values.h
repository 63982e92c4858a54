// SPDX-License-Identifier: GPL-2.0-only
/// Checks the values of a column against the range in the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/table.h"
#include "io/schema/result_schema.h"
#include "topology/graph/graph.h"

namespace heddle {

/// Bounds of values that follow from other tables of the file.
struct ValueBounds {
  const Graph* graph = nullptr;         ///< null: unknown, nodes and ports are not checked
  std::int64_t jobs = 0, requests = 0;  ///< rows of /jobs and of /controller/requests
  std::int64_t end_ps = 0;              ///< latest time
};

/// Invalid values of a block.
struct Misfits {
  std::uint64_t count = 0;
  std::size_t row = 0;   ///< first of them, in the block
  std::string value;     ///< value in that row
  std::string expected;  ///< "0 or more"
};

/// `block` has all columns of its table, with the schema's types.
std::optional<Misfits> FindMisfits(const ColumnSchema& schema, const Column& column,
                                   const Table& block, const ValueBounds& bounds);

}  // namespace heddle
