// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/make_schedule.h"

#include <fmt/format.h>

#include "collectives/algorithms/algorithm_table.h"
#include "core/base/check.h"

namespace heddle {

void RequireServesPairs(const CollectiveSpec& spec, const AlgorithmChoice& choice) {
  if (spec.sizes == nullptr) return;
  const bool direct = choice.algorithm == Algorithm::kDirect;
  if (direct && !choice.pxn && spec.operation == Operation::kAllToAll) return;
  throw UserError(
      fmt::format("{} whose pairs of ranks exchange different bytes, by {}{}. Expected: {}, or "
                  "experts.routing=even",
                  ToText(spec.operation), ToText(choice.algorithm), choice.pxn ? " with PXN" : "",
                  choice.algorithm == Algorithm::kPhases   ? "phases.collectives=off"
                  : choice.algorithm == Algorithm::kCustom ? "algorithm.alltoall=auto"
                                                           : "collective.pxn=false"));
}

std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const ChunkOptions& options) {
  RequireServesPairs(spec, choice);
  if (shape.ranks() == 1) return nullptr;
  const AlgorithmRow& row = RowOf(choice.algorithm);
  HEDDLE_EXPECT(row.Does(spec.operation));
  return row.make(spec, choice, shape, options);
}

}  // namespace heddle
