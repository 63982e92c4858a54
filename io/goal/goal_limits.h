// SPDX-License-Identifier: GPL-2.0-only
/// Ranges of what a GOAL file says, the same for text and binary.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/base/time_limits.h"
#include "core/traffic/flow_request.h"

namespace heddle {

constexpr std::int64_t kMaxGoalRanks = kMaxNodes;
constexpr std::int64_t kMaxGoalBytes = kMaxFlowBytes;          ///< of one message
constexpr std::int64_t kMaxGoalCalc = kLatestInput.ps / 1000;  ///< of one calc [ns]
constexpr std::int64_t kMaxGoalTag = 0xfffffffe;               ///< the next means all tags
constexpr std::int64_t kMaxGoalOperations = 0x7fffffff;        ///< of one rank, waits alike

}  // namespace heddle
