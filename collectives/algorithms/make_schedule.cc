// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/make_schedule.h"

#include <fmt/format.h>

#include "collectives/algorithms/algorithm_table.h"
#include "core/base/check.h"

namespace heddle {

void RequireAlikePairs(const CollectiveSpec& spec) {
  if (spec.sizes == nullptr) return;
  throw UserError(fmt::format("{} with sizes by pair of ranks: no algorithm here has them yet",
                              ToText(spec.operation)));
}

std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const ChunkOptions& options) {
  RequireAlikePairs(spec);
  if (shape.ranks() == 1) return nullptr;
  const AlgorithmRow& row = RowOf(choice.algorithm);
  HEDDLE_EXPECT(row.Does(spec.operation));
  return row.make(spec, choice, shape, options);
}

}  // namespace heddle
