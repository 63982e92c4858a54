// SPDX-License-Identifier: GPL-2.0-only
/// Merges the row logs of all ranks into one result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/table.h"
#include "io/result/result_writer.h"

namespace heddle {

struct MergeOptions {
  const Table* operations = nullptr;  ///< null: the result has none, nor collectives
  /// Receives every block of rows as it is written.
  std::function<void(const Table&)> watch = nullptr;
};

/// Writes the tables of all row logs up to commit `until` to `result`, sorted by name. `arrivals`
/// becomes a column of `flows` (io/row_log/flow_arrivals.h); `collective_parts` and `operations`,
/// the result's table, become `collectives` (io/row_log/collective_parts.h). SortStream must have
/// sorted each log up to the same commit, into the files `sorted` (none given: into SortedPartPath
/// of each log); tables that it left in the log are read from there. Holds in memory one block of
/// rows of every sorted run, and the contents of `result`. Throws FileError.
void MergeStreams(const std::vector<std::string>& parts, std::uint64_t until, ResultWriter* result,
                  std::vector<std::string> sorted = {}, const MergeOptions& options = {});

/// Calls `work`, which makes the result of these row logs or does a step of it: sorts, merges,
/// writes, closes. Rethrows a FileError, adding the bytes still to be merged and how to make the
/// result from the row logs, which stay. Deletes their sorted forms to free disk space.
void WithPartsKept(const std::vector<std::string>& parts, const std::function<void()>& work);

}  // namespace heddle
