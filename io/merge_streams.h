// SPDX-License-Identifier: GPL-2.0-only
/// Part files of all ranks into one result.
#ifndef HEDDLE_IO_MERGE_STREAMS_H_
#define HEDDLE_IO_MERGE_STREAMS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/result_writer.h"

namespace heddle {

/// Writes the tables of all parts up to commit `until` to `result`, in the order of their names;
/// `arrivals` becomes a column of `flows` (io/flow_arrivals.h). SortStream has sorted each part up
/// to the same commit. In memory are a block of rows of every sorted run and what `result` holds.
/// Throws FileError, for want of room with the bytes that are still to come.
void MergeStreams(const std::vector<std::string>& parts, std::uint64_t until, ResultWriter* result);

/// Calls `work`, which makes the result of these parts, or a step towards it. Errors of files are
/// thrown on with how many bytes the rows in the parts are, and how the result can still be made.
void WithPartsKept(const std::vector<std::string>& parts, const std::function<void()>& work);

}  // namespace heddle

#endif  // HEDDLE_IO_MERGE_STREAMS_H_
