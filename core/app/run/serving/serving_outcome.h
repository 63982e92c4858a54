// SPDX-License-Identifier: GPL-2.0-only
/// What became of the requests, from what instances recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/app/run/serving/serving_input.h"
#include "core/serving/serving_times.h"

namespace heddle {

struct ServingOutcome {
  const ServingInput& input;
  std::vector<RequestTimes> times;     ///< by request
  std::vector<InstanceTotals> totals;  ///< by instance
  ServingFigures figures;
  std::int64_t good = 0;        ///< requests that kept the service level
  std::int64_t sent_bytes = 0;  ///< of KV
  std::int64_t step_bytes = 0;  ///< of collectives of steps
};

/// What instances recorded, in any order.
struct ServingRecords {
  std::vector<ServingRecord> records;
  std::vector<InstanceTotals> totals;
  TokenGaps gaps;
  std::int64_t sent_bytes = 0, step_bytes = 0;
};

/// Throws InvariantError unless every token of every finished request was generated once.
ServingOutcome OutcomeOf(const ServingInput& input, ServingRecords records);

}  // namespace heddle
