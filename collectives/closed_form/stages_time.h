// SPDX-License-Identifier: GPL-2.0-only
/// What pipeline stages add to the time of a step: idle times, and messages between stages; see
/// step_time.h.
#pragma once

#include <cstdint>

#include "collectives/closed_form/step_parts.h"
#include "core/traffic/workload.h"

namespace heddle {

/// [s]
struct StagesTime {
  double bubble = 0;
  double messages = 0;          ///< what messages add if nothing of them is hidden
  double exposed_messages = 0;  ///< what they add
};

/// `step`: rows with their exposed times, and the price of a message. `stages` is above 1. Throws
/// UserError as TimeOfStep().
StagesTime TimeOfStages(const Workload& workload, std::uint32_t stages, const StepRules& rules,
                        const PredictedStep& step);

}  // namespace heddle
