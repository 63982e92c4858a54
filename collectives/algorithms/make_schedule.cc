// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/make_schedule.h"

#include "collectives/algorithms/algorithm_table.h"
#include "core/base/check.h"

namespace heddle {

std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const ChunkOptions& options) {
  if (shape.ranks() == 1) return nullptr;
  const AlgorithmRow& row = RowOf(choice.algorithm);
  HEDDLE_EXPECT(row.Does(spec.operation));
  return row.make(spec, choice, shape, options);
}

}  // namespace heddle
