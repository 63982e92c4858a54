// SPDX-License-Identifier: GPL-2.0-only
/// Collectives in the format of nccl-tests: size, count, type, redop, root, time [us], algorithm
/// and bus bandwidth [GB/s] (10^9 bytes), and "#wrong", which is N/A because no data are sent.
///
/// Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md. A run has several collectives, so a comment line
/// precedes each operation and type of group. There is one kind of buffer only, so the "in-place"
/// columns are absent. `count` is that of one rank's block for AllGather, ReduceScatter and
/// AllToAll, and of the full buffer for the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "core/base/table.h"

namespace heddle {

/// nccl-tests' columns of what is moved.
struct NcclElements {
  std::int64_t count = 0;  ///< of one rank's block, or of the full buffer
  const char* type = "";   ///< "float", or "uint8" if floats do not fill it
  const char* redop = "";  ///< "sum" or "none"
};
/// `operation`: "ALLREDUCE", ...; `bytes` of the full buffer.
NcclElements ElementsOf(const std::string& operation, std::int64_t bytes, std::uint32_t ranks);

/// Writes table "collectives" to `out`: one line for each operation, type and size of group, root
/// and size, with the mean time over groups, layers and passes. Returns the number of unfinished
/// collectives, which are left out. Throws UserError if a column is missing. The caller checks the
/// state of `out`.
std::size_t ExportNcclTests(const Table& collectives, std::ostream& out);

}  // namespace heddle
