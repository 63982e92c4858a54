// SPDX-License-Identifier: GPL-2.0-only
/// Rows of /collectives, joined of what single processes recorded.
///
/// The ranks of a collective may be simulated by several processes, and it may begin and end
/// between different flushes. So every process logs the parts that it saw since its last flush
/// (table "collective_parts"), and a result has their join. What every pass repeats, such as the
/// layer's name, is not logged, but taken from the result's table /operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "core/records/collective_algorithm.h"

namespace heddle {

constexpr const char* kCollectivePartTable = "collective_parts";

/// What was recorded of a collective of one group.
struct CollectivePart {
  std::uint32_t job = 0;
  std::uint32_t operation = 0;  ///< of the job: pass * operations of a pass + operation of the pass
  std::uint32_t group = 0;
  std::uint32_t finished = 0;  ///< ranks that finished it
  Time start = Time::Max();    ///< earliest issue; Time::Max(): not in this part
  Time end;                    ///< latest finish
  /// When the first rank began it, after the one before on its communicator; of a message between
  /// two ranks: when the sender issued it. Time::Max(): not in this part.
  Time sent = Time::Max();
  Time arrived;  ///< of a message between two ranks: when all of it had
  Time ideal;    ///< the least time that its busiest port needs; 0: not known
  Algorithm algorithm = Algorithm::kRing;
  Protocol protocol = Protocol::kSimple;
};

/// Returns the table of a row log that holds these parts.
Table CollectivePartTable(const std::vector<CollectivePart>& parts);
/// Returns the parts of such a table. Throws UserError if a column is missing.
std::vector<CollectivePart> CollectivePartsOf(const Table& table);

/// Appends `parts`, which are sorted by (job, operation, group), to `joined`: parts of one
/// collective become one, also with the last of `joined`.
void JoinParts(const std::vector<CollectivePart>& parts, std::vector<CollectivePart>* joined);

class CollectiveRows {
 public:
  /// `operations`: the result's table, sorted. Throws UserError if a column is missing.
  explicit CollectiveRows(Table operations);

  /// Makes the table /collectives with a row for each of `joined`. Throws UserError for a part
  /// whose job has no operations.
  Table Make(const std::vector<CollectivePart>& joined) const;
  /// Returns the bytes of the longest name of a layer.
  std::size_t longest_layer_name() const;

 private:
  struct OperationsOfJob {
    std::size_t first = 0, count = 0;  ///< rows of operations_
  };
  /// Returns the row of operations_ of a part. Throws UserError if its job has no operations.
  std::size_t RowOf(const CollectivePart& part) const;

  Table operations_;
  std::vector<OperationsOfJob> of_job_;
};

}  // namespace heddle
