// SPDX-License-Identifier: GPL-2.0-only
/// Part files of all ranks into one result.
#ifndef HEDDLE_IO_RESULT_MERGE_ROW_LOGS_H_
#define HEDDLE_IO_RESULT_MERGE_ROW_LOGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/result/result_writer.h"

namespace heddle {

/// Writes the tables of all parts up to commit `until` to `result`, in the order of their names;
/// `arrivals` becomes a column of `flows` (io/row_log/flow_arrivals.h). SortStream has sorted each
/// part up to the same commit, into the files `sorted` (none given: into SortedPartPath of each
/// part). In memory are a block of rows of every sorted run and what `result` holds. Throws
/// FileError.
void MergeStreams(const std::vector<std::string>& parts, std::uint64_t until, ResultWriter* result,
                  std::vector<std::string> sorted = {});

/// Calls `work`, which makes the result of these parts or does a step towards it: sorts, merges,
/// writes, closes. A FileError is thrown on with how many bytes the rows are that were still to be
/// merged, and how the result can be made of the parts, which stay; their sorted forms beside them
/// are deleted, to make room.
void WithPartsKept(const std::vector<std::string>& parts, const std::function<void()>& work);

}  // namespace heddle

#endif  // HEDDLE_IO_RESULT_MERGE_ROW_LOGS_H_
