// SPDX-License-Identifier: GPL-2.0-only
/// The failures of a run as the table "failures" of its result.
#pragma once

#include <vector>

#include "core/base/table.h"
#include "topology/routes/failures.h"

namespace heddle {

/// Returns one row an event as the user gave it, by time, then in the order given.
Table FailureTable(std::vector<FailureEvent> events);

}  // namespace heddle
