// SPDX-License-Identifier: GPL-2.0-only
/// What `heddle collective --json` prints: messages, or what the tuner predicts, or phases.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/choice/algorithm_choice.h"
#include "collectives/schedule/collective_spec.h"
#include "collectives/schedule/explicit_flows.h"
#include "collectives/schedule/group_shape.h"
#include "io/table/json_document.h"

namespace heddle {

/// Returns the object of --json; `kind`: "messages", "tune" or "phases", of which `part` is.
OrderedJson CollectiveJson(const char* kind, OrderedJson part);

/// Returns the messages of all ranks. `channels`: of the schedule; 0 without one.
OrderedJson MessagesJson(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                         const GroupShape& shape, std::uint32_t channels,
                         const std::vector<SingleFlow>& flows);

/// Returns the least and the most bytes that a rank puts on the wire.
std::pair<std::int64_t, std::int64_t> SentByRanks(const GroupShape& shape,
                                                  const std::vector<SingleFlow>& flows);

}  // namespace heddle
