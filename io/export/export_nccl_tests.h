// SPDX-License-Identifier: GPL-2.0-only
/// Collectives in the form of nccl-tests' tables: size, count, type, redop, root, time [us],
/// algorithm and bus bandwidth [GB/s] (10^9 bytes), and "#wrong", which is N/A: no data is sent,
/// none can be wrong.
///
/// Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md. A run has several collectives, so a comment
/// begins each operation and type of group, and there is one kind of buffer only ("in-place"
/// columns are absent). `count` is of one rank's part for AllGather, ReduceScatter and AllToAll,
/// and of the full buffer for the others.
#ifndef HEDDLE_IO_EXPORT_EXPORT_NCCL_TESTS_H_
#define HEDDLE_IO_EXPORT_EXPORT_NCCL_TESTS_H_

#include <cstddef>
#include <ostream>

#include "core/base/table.h"

namespace heddle {

/// Writes table "collectives" to `out`, one line an operation, type and size of group, root and
/// size, with the mean time over groups, layers and passes. Returns the number of collectives that
/// are not finished, which are left out. Throws UserError if a column is missing. The caller checks
/// the state of `out`.
std::size_t ExportNcclTests(const Table& collectives, std::ostream& out);

}  // namespace heddle

#endif  // HEDDLE_IO_EXPORT_EXPORT_NCCL_TESTS_H_
